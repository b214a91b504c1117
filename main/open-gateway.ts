// One gateway, opened as the desktop needs it: with its network, or for the window alone.
import { homedir } from 'node:os'
import { announcementsIn, createGateway, describeProblems, fatal, type Gateway, loadSettings } from '#gateway'
import type { Environment, Mode, Opened, Prepared } from './gateway-port.ts'
import { editorHost } from './pcg.ts'
import { freePort } from './port.ts'

type Parts = {
  readonly readFile: (file: string) => string
  readonly writeLog: (line: string) => void
}

async function portOf({ env, portFixed }: Prepared, mode: Mode): Promise<{ port: string; movedFrom: string | null }> {
  const wanted = String(env.PORT)
  if (portFixed || mode !== 'running') return { port: wanted, movedFrom: null }
  const port = String(await freePort(Number(wanted)))
  return { port, movedFrom: port === wanted ? null : `http://127.0.0.1:${wanted}` }
}

/** What a stop still does after the grace for calls in flight. */
const CLOSE_MS = 10_000

export async function openGateway(
  prepared: Prepared,
  mode: Mode,
  { readFile, writeLog }: Parts,
): Promise<Opened & { readonly gateway: Gateway }> {
  const { port, movedFrom } = await portOf(prepared, mode)
  const env = { ...prepared.env, PORT: port, ...(mode === 'safe' ? { PCG_ENABLED: 'false' } : {}) }
  const loaded = loadSettings({ env, readFile })
  if (fatal(loaded.problems)) throw new Error(describeProblems(loaded.problems))
  if (loaded.problems.length > 0) writeLog(`${describeProblems(loaded.problems)}\n`)
  const gateway = await createGateway({
    loaded,
    home: 'desktop',
    // Without the network no program of others runs either.
    ...(mode === 'running' ? { hostEnvironment: prepared.env } : {}),
    writeLog,
    editorHost: editorHost(loaded.settings),
    announceIn: announcementsIn(homedir()),
  })
  const closeWithinMs = loaded.settings.SHUTDOWN_FORCE_EXIT_MS + CLOSE_MS
  // Without the network nothing runs by itself either: no health checks, no agents.
  if (mode !== 'running') return { gateway, url: null, movedFrom: null, closeWithinMs }
  try {
    return { gateway, url: await gateway.listen(), movedFrom, closeWithinMs }
  } catch (error) {
    await gateway.close()
    throw new Error(explained(error, env), { cause: error })
  }
}

function explained(error: unknown, env: Environment): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE')
    return `Port ${env.PORT} is used by another program. Quit that program, or start Gantry with another PORT, then restart the gateway.`
  return error instanceof Error ? error.message : String(error)
}
