// Python over Remote Control: one HTTP request per text; distinguishes the four ways in which it can be switched off.
import { PcgError } from '../editor/editor.ts'
import { isRecord, parseBounded } from './bounded-json.ts'
import { type Carrier, UNKNOWN_OUTCOME } from './carrier.ts'
import { ask, isLoopback } from './http.ts'
import { WAYS_OUT } from './setup.ts'
import { createTether } from './tether.ts'

export const REMOTE_CONTROL_URL = 'http://127.0.0.1:30010'
const PROBE_MS = 3000
/** Beyond the longest call: the connection above gives up earlier, and this only ends what is forgotten. */
const FORGOTTEN_MS = 900_000
const PYTHON = '/Script/PythonScriptPlugin.Default__PythonScriptLibrary'

export type RemoteControlOptions = {
  readonly url?: string
  /** Passphrase for an editor on another machine. Loopback needs none, so none is sent there. */
  readonly token?: string
  readonly onLoose: () => void
  readonly onGone: (reason: string) => void
}

function baseOf(given: string): URL {
  const base = new URL(given)
  if (base.protocol !== 'http:')
    throw new PcgError(
      'INVALID_ARGUMENT',
      'Remote Control speaks plain HTTP: give an address such as http://127.0.0.1:30010',
    )
  return base
}

/** Identifies the peer without the token. One that does not answer like Remote Control receives nothing more. */
export async function probeRemoteControl(given: string, timeoutMs = PROBE_MS): Promise<URL> {
  const base = baseOf(given)
  const reply = await ask({ method: 'GET', url: new URL('/remote/info', base), timeoutMs })
  const info = parseBounded(reply.text)
  const routes = isRecord(info) && Array.isArray(info['HttpRoutes']) ? info['HttpRoutes'] : []
  // An editor on another machine may guard this route too, with an error text of its own.
  const guarded = isRecord(info) && /passphrase/i.test(String(info['errorMessage'])) && !isLoopback(base.hostname)
  const known = guarded || routes.some((route) => isRecord(route) && route['Path'] === '/remote/object/call')
  if (!known)
    throw new PcgError('EDITOR_UNAVAILABLE', `What answers at ${base.host} is not Remote Control of an Unreal editor`)
  return base
}

function explain(status: number, message: string): PcgError {
  if (/passphrase/i.test(message) || status === 401 || status === 403)
    return new PcgError('EDITOR_UNAVAILABLE', WAYS_OUT.passphrase)
  if (/python/i.test(message) && /enable|disabled/i.test(message))
    return new PcgError('EDITOR_UNAVAILABLE', WAYS_OUT.pythonOff)
  if (/not allowed by remote control settings/i.test(message))
    return new PcgError('EDITOR_UNAVAILABLE', WAYS_OUT.notAllowed)
  if (/PythonScript/i.test(message)) return new PcgError('EDITOR_UNAVAILABLE', WAYS_OUT.pythonPlugin)
  return new PcgError('EDITOR_ERROR', `Remote Control answered ${status}: ${message.slice(0, 300)}`)
}

function linesOf(text: string): readonly string[] {
  const answer = parseBounded(text)
  if (!isRecord(answer)) throw new PcgError('EDITOR_ERROR', 'Remote Control answered with something else than a result')
  const log = Array.isArray(answer['LogOutput']) ? answer['LogOutput'] : []
  const lines = log.flatMap((entry) => (isRecord(entry) ? String(entry['Output'] ?? '').split(/\r?\n/) : []))
  if (answer['ReturnValue'] !== true && !lines.some((line) => line.includes('@gantry ')))
    throw new PcgError(
      'EDITOR_ERROR',
      `Python in the editor failed: ${
        String(answer['CommandResult'] ?? '')
          .trim()
          .slice(-400) || lines.join(' ').slice(-400)
      }`,
    )
  return lines
}

export async function openRemoteControl(options: RemoteControlOptions): Promise<Carrier> {
  const base = await probeRemoteControl(options.url ?? REMOTE_CONTROL_URL)
  const local = isLoopback(base.hostname)
  const headers: Readonly<Record<string, string>> =
    local || options.token === undefined ? {} : { Passphrase: options.token }
  const ended = new AbortController()
  const tether = createTether(base.hostname.replace(/^\[|\]$/g, ''), Number(base.port || 80), {
    loose: options.onLoose,
    gone: () => {
      ended.abort()
      options.onGone(`nothing listens at ${base.host} any more`)
    },
  })
  return {
    kind: 'remote-control',
    address: base.origin,
    local,
    async run(program) {
      const sent = ask({
        method: 'PUT',
        url: new URL('/remote/object/call', base),
        headers,
        timeoutMs: FORGOTTEN_MS,
        signal: ended.signal,
        body: JSON.stringify({
          objectPath: PYTHON,
          functionName: 'ExecutePythonCommandEx',
          parameters: { PythonCommand: program, ExecutionMode: 'ExecuteFile', FileExecutionScope: 'Private' },
          generateTransaction: false,
        }),
      })
      const reply = await sent.catch((error: unknown) => {
        if (error instanceof PcgError && error.message.includes('was closed'))
          throw new PcgError('EDITOR_UNAVAILABLE', `${error.message}. ${UNKNOWN_OUTCOME}`)
        throw error
      })
      if (reply.status === 200) return linesOf(reply.text)
      let message = reply.text
      try {
        const answer = parseBounded(reply.text)
        if (isRecord(answer)) message = String(answer['errorMessage'] ?? answer['ErrorMessage'] ?? reply.text)
      } catch {
        // An error page is text; it is quoted as it is.
      }
      throw explain(reply.status, message)
    },
    close() {
      tether.close()
      ended.abort()
    },
  }
}
