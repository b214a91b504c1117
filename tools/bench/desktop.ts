// The desktop in the host double: the built main to a listening gateway and to the window's content, what it weighs idle, and the package by part.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { launchDouble } from '../../e2e/desktop/double/host.ts'
import { freePort } from '../../main/port.ts'
import { PARTS, packIntoStandIn } from '../pack.ts'
import { aFolder, GANTRY } from './gateway.ts'
import type { BenchPart, BenchRow } from './index.ts'
import { median, residentMiB, startServer, wait } from './server.ts'

const ROUNDS = 3
const MIB = 2 ** 20
const FIRST_TRIED = 18_790

type Sample = { readonly listensMs: number; readonly shownMs: number; readonly idleMiB: number }

async function answers(url: string): Promise<void> {
  while (
    !(await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    ))
  )
    await wait(2)
}

async function started(): Promise<Sample> {
  const userData = aFolder()
  const port = await freePort(FIRST_TRIED)
  const begun = performance.now()
  const sinceBegun = (): number => performance.now() - begun
  const listens = answers(`http://127.0.0.1:${port}/livez`).then(sinceBegun)
  const app = await launchDouble({ userData, env: { PORT: String(port) } })
  await app.page.getByRole('heading', { level: 1 }).first().waitFor()
  const shownMs = sinceBegun()
  const listensMs = await listens
  await wait(1_000)
  // The double's lock holds the process id of main.
  const idleMiB = residentMiB(Number(readFileSync(path.join(userData, 'SingletonLock'), 'utf8')))
  await app.quit()
  return { listensMs, shownMs, idleMiB }
}

async function packageRows(): Promise<readonly BenchRow[]> {
  const { bytes } = await packIntoStandIn(process.arch === 'arm64' ? 'arm64' : 'x64', aFolder())
  const row = (label: string, prefix: string): BenchRow => ({
    label,
    value: `${(bytes(prefix) / MIB).toFixed(2)} MiB`,
  })
  return [row('packed, without Electron itself', '/'), ...PARTS.map((part) => row(`of it ${part}`, part))]
}

export const desktop: BenchPart = {
  name: 'desktop',
  async *run() {
    const pairs: { readonly app: Sample; readonly headless: { readonly startMs: number; readonly idleMiB: number } }[] =
      []
    for (let round = 0; round < ROUNDS; round++) {
      const server = await startServer(GANTRY, { PCG_ENABLED: 'true' })
      await wait(1_000)
      const headless = { startMs: server.startMs, idleMiB: residentMiB(server.pid) }
      await server.stop()
      pairs.push({ app: await started(), headless })
    }
    const row = (label: string, unit: string, of: (app: Sample) => number, to: 'startMs' | 'idleMiB'): BenchRow => ({
      label,
      value: `${median(pairs.map(({ app }) => of(app))).toFixed(0)} ${unit}`,
      beside: `${median(pairs.map(({ headless }) => headless[to])).toFixed(0)} ${unit} headless`,
      ratio: median(pairs.map(({ app, headless }) => of(app) / headless[to])).toFixed(2),
    })
    yield row('cold start of main to a listening gateway', 'ms', ({ listensMs }) => listensMs, 'startMs')
    yield row('cold start of main to the first content', 'ms', ({ shownMs }) => shownMs, 'startMs')
    yield row('idle memory of main (RSS, on plain Node)', 'MiB', ({ idleMiB }) => idleMiB, 'idleMiB')
    yield* await packageRows()
  },
}
