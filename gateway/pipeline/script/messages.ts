// Messages between the gateway and the thread of an isolate. Values cross as JSON text: nothing of one heap is reachable from the other.

export type Limits = {
  /** Of the whole run, waiting included. */
  readonly timeoutMs: number
  /** Of its own code, waiting excluded. */
  readonly cpuMs: number
  readonly memoryBytes: number
  readonly calls: number
  readonly parallel: number
}

export type ToThread =
  | { readonly kind: 'compile'; readonly source: string }
  | {
      readonly kind: 'run'
      readonly js: string
      readonly input: string
      readonly startedMs: number
      readonly limits: Pick<Limits, 'cpuMs' | 'memoryBytes'>
    }
  | { readonly kind: 'answer'; readonly id: number; readonly json: string }

/** Why a run ended without a result. */
export type ScriptFailure = {
  readonly reason: 'threw' | 'cpu' | 'memory' | 'crashed'
  readonly message: string
  /** The call whose error the script did not catch. */
  readonly callId?: number
}

/** JSON, or the answer of one of its calls as it was. */
export type ScriptResult = { readonly json: string; readonly callId?: number }

export type FromThread =
  | { readonly kind: 'compiled'; readonly js: string }
  | { readonly kind: 'invalid'; readonly message: string }
  | {
      readonly kind: 'asks'
      readonly id: number
      readonly what: 'call' | 'keep'
      readonly tool: string
      readonly json: string
    }
  | { readonly kind: 'log'; readonly line: string }
  | ({ readonly kind: 'done' } & ScriptResult)
  | ({ readonly kind: 'failed' } & ScriptFailure)
