// The files that docs/deployment.md shows name settings, ports, users and probes that exist, and agree with each other.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { rowOf, SETTING_NAMES } from '../gateway/settings/table.ts'

const page = readFileSync(new URL('../docs/deployment.md', import.meta.url), 'utf8')
const block = (language: string): string => {
  const [found, ...others] = [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))]
  expect(others, `one block of ${language}`).toEqual([])
  return found?.[1] ?? ''
}

/** Of the program's surroundings, not of its table. */
const OF_NODE = ['HOME']
const unknown = (names: readonly string[]): readonly string[] =>
  names.filter((name) => ![...SETTING_NAMES, ...OF_NODE].includes(name.replace(/_FILE$/, '')))
const defaultOf = (name: 'SHUTDOWN_DRAIN_MS' | 'SHUTDOWN_FORCE_EXIT_MS'): number => Number(rowOf(name).default)

const unit = block('ini')
const image = block('dockerfile')
const imagePort = /^EXPOSE (\d+)$/m.exec(image)?.[1]

describe('the systemd unit', () => {
  it('sets settings that exist, and runs as a user of its own on a system it cannot write', () => {
    const names = [...unit.matchAll(/^Environment=([A-Z_]+)=/gm)].map(([, name]) => name ?? '')
    expect(names.length).toBeGreaterThan(0)
    expect(unknown(names)).toEqual([])
    expect(unit).toMatch(/^User=gantry$/m)
    expect(unit).toMatch(/^ProtectSystem=strict$/m)
    expect(unit).toMatch(/^NoNewPrivileges=yes$/m)
  })

  it('waits longer than a stop takes', () => {
    const seconds = Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])
    expect(seconds * 1000).toBeGreaterThan(defaultOf('SHUTDOWN_DRAIN_MS') + defaultOf('SHUTDOWN_FORCE_EXIT_MS'))
  })
})

describe('the image', () => {
  it('sets settings that exist, and starts as a user without rights on the port that it states', () => {
    const variables = [...(/^ENV (.*)$/m.exec(image)?.[1] ?? '').matchAll(/([A-Z_]+)=(\S+)/g)]
    expect(unknown(variables.map(([, name]) => name ?? ''))).toEqual([])
    expect(variables.find(([, name]) => name === 'PORT')?.[2]).toBe(imagePort)
    expect(image.indexOf('\nUSER node\n')).toBeGreaterThan(0)
    expect(image.indexOf('\nUSER node\n')).toBeLessThan(image.indexOf('\nCMD '))
    expect(image).toContain(`http://127.0.0.1:${imagePort}/livez`)
  })

  it('is run with a root that is read only, on the port that it states', () => {
    const command = /^docker run [\s\S]*?gantry\.env gantry$/m.exec(page)?.[0] ?? ''
    expect(command).toContain('--read-only')
    expect(command).toContain('--cap-drop ALL')
    expect(command).toContain(`:${imagePort} `)
  })
})

type Probe = { readonly httpGet: { readonly path: string; readonly port: string }; readonly periodSeconds: number }
type Container = {
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[]
  readonly env: readonly { readonly name: string; readonly value?: string }[]
  readonly livenessProbe: Probe
  readonly readinessProbe: Probe & { readonly failureThreshold: number }
  readonly securityContext: object
}
type Pod = {
  readonly terminationGracePeriodSeconds: number
  readonly securityContext: object
  readonly containers: readonly [Container]
}

describe('the StatefulSet', () => {
  const { spec: pod } = (parse(block('yaml')) as { spec: { template: { spec: Pod } } }).spec.template // the shape is what the tests check
  const [container] = pod.containers
  const drainMs = Number(container.env.find(({ name }) => name === 'SHUTDOWN_DRAIN_MS')?.value)

  it('sets settings that exist, on the port of the image, without rights', () => {
    expect(unknown(container.env.map(({ name }) => name))).toEqual([])
    expect(container.ports).toEqual([{ name: 'http', containerPort: Number(imagePort) }])
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true })
    expect(container.securityContext).toMatchObject({ readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } })
  })

  it('restarts by liveness and sends traffic by readiness', () => {
    expect(container.livenessProbe.httpGet).toEqual({ path: '/livez', port: 'http' })
    expect(container.readinessProbe.httpGet).toEqual({ path: '/readyz?for=traffic', port: 'http' })
  })

  it('serves on for longer than the readiness probe needs to fail, and is not killed while it stops', () => {
    const { periodSeconds, failureThreshold } = container.readinessProbe
    expect(drainMs).toBeGreaterThan(periodSeconds * failureThreshold * 1000)
    expect(pod.terminationGracePeriodSeconds * 1000).toBeGreaterThan(drainMs + defaultOf('SHUTDOWN_FORCE_EXIT_MS'))
  })
})
