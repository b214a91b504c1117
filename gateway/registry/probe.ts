// Probes a backend with one request (contract 4.3), with the probe's own timeout.

import { ExchangeError } from '../net/exchange.ts'
import type { Base } from '../records/base.ts'
import type { Backend, UpstreamCredential } from './backend.ts'
import { remedyFor } from './pinned-name.ts'

export type ProbeResult = { readonly ok: boolean; readonly latencyMs: number; readonly error: string | null }
export type Probe = (backend: Backend) => Promise<ProbeResult>

type ProbeDeps = Pick<Base, 'outbound' | 'monotonic'> & {
  readonly credential: (name: string) => UpstreamCredential | undefined | Promise<UpstreamCredential | undefined>
  /** Pings an MCP upstream; rejects if it does not answer. */
  readonly pingMcp: (backend: Backend, timeoutMs: number) => Promise<void>
  /** Why a backend without an address is down; it is not started to find out. */
  readonly whyDown?: (name: string) => string | null
  readonly timeoutMs: number
}

const ANSWER_MAX_BYTES = 1_048_576

export function createProbe({ outbound, credential, pingMcp, whyDown, timeoutMs, monotonic }: ProbeDeps): Probe {
  async function ask(backend: Backend): Promise<string | null> {
    if (backend.pins === null) return whyDown?.(backend.name) ?? null
    if (backend.kind === 'mcp' && backend.healthUrl === null) {
      await pingMcp(backend, timeoutMs)
      return null
    }
    const graphql = backend.kind === 'graphql' && backend.healthUrl === null
    const url = backend.healthUrl ?? backend.baseUrl
    // A health endpoint may be on another server, which receives no credential.
    const { origin } = backend.pins.base
    const secret = new URL(url).origin === origin ? (await credential(backend.name))?.sentTo(origin) : undefined
    const { status, body } = await outbound.request({
      url,
      owner: backend.name,
      pin: (backend.healthUrl === null ? undefined : backend.pins.health) ?? backend.pins.base,
      method: graphql ? 'POST' : 'GET',
      headers: {
        accept: 'application/json, */*;q=0.5',
        ...(graphql ? { 'content-type': 'application/json' } : {}),
        ...secret?.headers,
      },
      ...(graphql ? { body: '{"query":"{__typename}"}' } : {}),
      deadlineMs: timeoutMs,
      maxBytes: ANSWER_MAX_BYTES,
    })
    if (graphql) return status < 500 && isJson(body) ? null : `answered ${status} without JSON`
    const fine = backend.healthUrl === null ? status < 500 : status >= 200 && status < 400
    return fine ? null : `answered ${status}`
  }

  return async (backend) => {
    const started = monotonic()
    try {
      const error = await ask(backend)
      return { ok: error === null, latencyMs: Math.round(monotonic() - started), error }
    } catch (error) {
      return { ok: false, latencyMs: Math.round(monotonic() - started), error: reason(error, backend) }
    }
  }
}

/** The kind of failure for administrators, without address. */
function reason(error: unknown, backend: Backend): string {
  if (error instanceof ExchangeError) {
    const remedy = remedyFor(backend, error.message)
    return remedy ? `${error.message}. ${remedy.text}` : error.message
  }
  return error instanceof Error ? error.message.slice(0, 200) : 'the probe failed'
}

function isJson(body: Buffer): boolean {
  try {
    JSON.parse(body.toString('utf8'))
    return true
  } catch {
    return false
  }
}
