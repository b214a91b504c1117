// Which eras an upstream speaks, and in which of them each of its clients is served.

import { type UpstreamInfo, UpstreamStatus } from '../mcp/connection.ts'
import type { Era } from '../mcp/era.ts'
import type { JsonRecord } from '../mcp/message.ts'
import { ExchangeError } from '../net/exchange.ts'
import { discover, type Greeting, initialize, type UpstreamSession } from './handshake.ts'

export type EraSetting = 'auto' | Era

/** `legacy` is unset until a client wants that era. */
type Known = {
  readonly modern?: UpstreamInfo | undefined
  readonly legacy?: UpstreamInfo | undefined
  readonly atMs: number
}

export type Eras = {
  /** What the upstream declares in the era of such a client; undefined where it was not asked yet. */
  known(era: Era | undefined): UpstreamInfo | undefined
  /** Whether requests of such a client go without a session. */
  isModernFor(era: Era | undefined): boolean
  /** A session for such a client; undefined where it needs none. */
  open(era: Era | undefined, capabilities: JsonRecord): Promise<UpstreamSession | undefined>
  learnedAtMs(): number
  /** Asks again what was learned then. */
  forget(learnedAtMs: number): void
}

/** What was learned of an upstream stays true for this long without asking again. */
export const FRESH_MS = 60_000

export function createEras(setting: EraSetting, greeting: Greeting, monotonic: () => number): Eras {
  let known: Known | undefined
  let asking: Promise<UpstreamInfo | undefined> | undefined
  let legacyRefusedAtMs = Number.NEGATIVE_INFINITY

  const isFresh = (atMs: number): boolean => monotonic() - atMs < FRESH_MS
  const prefersLegacy = (era: Era | undefined): boolean =>
    setting === 'auto' && era === 'legacy' && !isFresh(legacyRefusedAtMs)

  function isModernFor(era: Era | undefined): boolean {
    return known?.modern !== undefined && !prefersLegacy(era)
  }

  function ask(): Promise<UpstreamInfo | undefined> {
    asking ??= discover(greeting).finally(() => {
      asking = undefined
    })
    return asking
  }

  /** Undefined: the upstream refuses the legacy era. */
  function secondEra(capabilities: JsonRecord): Promise<UpstreamSession | undefined> {
    return initialize(greeting, capabilities).catch((error: unknown) => {
      if (!isRefusal(error)) throw error
      legacyRefusedAtMs = monotonic()
      return undefined
    })
  }

  return {
    isModernFor,
    known: (era) =>
      isModernFor(era) ? known?.modern : (known?.legacy ?? (prefersLegacy(era) ? undefined : known?.modern)),
    async open(era, capabilities) {
      const fresh = known !== undefined && isFresh(known.atMs) ? known : undefined
      const modern = fresh ? fresh.modern : setting === 'legacy' ? undefined : await ask()
      if (modern && !fresh) known = { modern, legacy: known?.legacy, atMs: monotonic() }
      if (setting === 'modern' && !modern)
        throw new ExchangeError('bad_response', 'it does not speak revision 2026-07-28, which mcp_era requires')
      if (modern && isModernFor(era)) return undefined
      const session = await (modern ? secondEra(capabilities) : initialize(greeting, capabilities))
      if (session) known = { modern, legacy: session.facts, atMs: fresh?.atMs ?? monotonic() }
      return session
    },
    learnedAtMs: () => known?.atMs ?? 0,
    forget(learnedAtMs) {
      if (known?.atMs === learnedAtMs) known = undefined
    },
  }
}

/** The upstream answered, and not with a session: it does not speak the era. */
function isRefusal(error: unknown): boolean {
  if (error instanceof UpstreamStatus) return [400, 404, 405, 406, 415, 501].includes(error.status)
  return error instanceof ExchangeError && error.kind === 'bad_response'
}
