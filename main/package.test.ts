// The configuration of electron-builder: valid by its own schema, with the fuses blown and only the build inside.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { Ajv } from 'ajv'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { APP_ID } from './start-command.ts'

const root = path.join(import.meta.dirname, '..')
const read = (file: string): string => readFileSync(file, 'utf8')
const config: unknown = parse(read(path.join(root, 'electron-builder.yml')))

/** The schema electron-builder itself checks with lies in a package of its own. */
function builderSchema(): object {
  const builder = createRequire(createRequire(import.meta.url).resolve('electron-builder'))
  return z.looseObject({}).parse(JSON.parse(read(builder.resolve('app-builder-lib/scheme.json'))))
}

const validate = new Ajv({ strict: false, allErrors: true, validateFormats: false }).compile(builderSchema())

describe('electron-builder.yml', () => {
  it.each([
    ['a misspelt option', { asarUnpak: [] }],
    ['a missing fuse', { electronFuses: { runAsNod: false } }],
    ['an unknown target', { linux: { target: [{ target: 7 }] } }],
  ])('would not pass with %s', (_what, mistake) => {
    expect(validate({ ...z.looseObject({}).parse(config), ...mistake })).toBe(false)
  })

  it('passes its own schema', () => {
    expect({ valid: validate(config), errors: validate.errors }).toEqual({ valid: true, errors: null })
  })

  it('blows the fuses', () => {
    expect(config).toMatchObject({
      electronFuses: {
        runAsNode: false,
        enableCookieEncryption: true,
        enableNodeOptionsEnvironmentVariable: false,
        enableNodeCliInspectArguments: false,
        enableEmbeddedAsarIntegrityValidation: true,
        onlyLoadAppFromAsar: true,
        grantFileProtocolExtraPrivileges: false,
      },
    })
  })

  it('packs the build and unpacks only what the system loads itself', () => {
    const { files, asar, asarUnpack } = z
      .looseObject({ files: z.array(z.string()), asar: z.boolean(), asarUnpack: z.array(z.string()) })
      .parse(config)
    expect(asar).toBe(true)
    expect(asarUnpack).toEqual(['**/*.node', '**/apply-seccomp'])
    const own = ['dist/**', '!dist/.built', '!dist/gateway/compiled', 'package.json', '!node_modules/**']
    expect(files.slice(0, own.length)).toEqual(own)
    expect(files.slice(own.length).every((pattern) => pattern.startsWith('node_modules/better-sqlite3/'))).toBe(true)
    expect(config).toMatchObject({ npmRebuild: false })
  })

  it('has the id that the application gives Windows', () => {
    expect(config).toMatchObject({ appId: APP_ID })
  })

  it('registers one scheme and makes installers for every system', () => {
    expect(config).toMatchObject({ protocols: [{ name: 'Gantry', schemes: ['gantry'] }] })
    const target = z.array(z.looseObject({ target: z.string(), arch: z.array(z.string()) }))
    const system = z.looseObject({ target })
    const { win, mac, linux } = z.looseObject({ win: system, mac: system, linux: system }).parse(config)
    const names = [win, mac, linux].map(({ target: targets }) => targets.map((each) => each.target))
    // Updates on macOS come as a zip; the deb brings the AppArmor profile that the AppImage lacks.
    expect(names).toEqual([['nsis'], ['dmg', 'zip'], ['deb', 'rpm', 'AppImage']])
    for (const { arch } of [win, mac, linux].flatMap((each) => each.target)) expect(arch).toEqual(['x64', 'arm64'])
  })

  it('starts what the build makes', () => {
    const { main } = z.looseObject({ main: z.string() }).parse(JSON.parse(read(path.join(root, 'package.json'))))
    expect(main).toBe('dist/main/index.js')
  })
})

describe('the workflow', () => {
  const Job = z.object({
    strategy: z.object({ matrix: z.object({ os: z.array(z.string()) }) }),
    steps: z.array(z.looseObject({ run: z.string().optional(), if: z.string().optional() })),
  })
  const { jobs } = z
    .object({ jobs: z.record(z.string(), Job) })
    .parse(parse(read(path.join(root, '.github', 'workflows', 'ci.yml'))))
  /** Conditions name Linux or all others. */
  const runs = (name: string, linux: boolean) =>
    (jobs[name]?.steps ?? [])
      .filter((step) => step.if === undefined || step.if === `runner.os ${linux ? '==' : '!='} 'Linux'`)
      .flatMap(({ run }) => run ?? [])

  it.each(['ubuntu-latest', 'macos-latest', 'windows-latest'])(
    'runs every test and the packaged application with the real Electron on %s',
    (system) => {
      for (const job of ['test', 'dist']) expect(jobs[job]?.strategy.matrix.os).toContain(system)
      const [tests, packaged] = ['test', 'dist'].map((job) => runs(job, system === 'ubuntu-latest'))
      for (const steps of [tests, packaged]) expect(steps).toContain('npx install-electron')
      expect(tests?.some((run) => run.endsWith('npm test'))).toBe(true)
      expect(packaged?.some((run) => run.endsWith('node tools/check-packaged.ts'))).toBe(true)
    },
  )
})
