// Messages between the gateway and the thread of an isolate. Values cross as JSON text: nothing of one heap is reachable from the other.
// Calls and answers are lists of texts, one list in each turn of a loop: cloning and waking cost more than a call itself.
import type { Checked } from './check.ts'
import type { ScriptProblem } from './script-values.ts'

export type Limits = {
  /** Of the whole run, waiting included. */
  readonly timeoutMs: number
  /** Of its own code, waiting excluded. */
  readonly cpuMs: number
  readonly memoryBytes: number
  readonly calls: number
  readonly parallel: number
}

/** Of one call: JSON of its number, `call` or `keep`, the tool and the value. */
export type AskedText = string
/** Of one answer: JSON of the number of its call and of an `Answer`. */
export type AnswerText = string

export type ToThread =
  | readonly AnswerText[]
  | { readonly kind: 'compile'; readonly source: string }
  | { readonly kind: 'check'; readonly given: Omit<Checked, 'js'> }
  | {
      readonly kind: 'run'
      readonly js: string
      readonly input: string
      readonly startedMs: number
      readonly limits: Pick<Limits, 'cpuMs' | 'memoryBytes'>
    }

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
  | readonly AskedText[]
  | { readonly kind: 'compiled'; readonly js: string }
  | { readonly kind: 'invalid'; readonly problem: ScriptProblem }
  | { readonly kind: 'checked'; readonly problems: readonly ScriptProblem[] }
  /** The isolate is ready, and the script computes. */
  | { readonly kind: 'begun' }
  | { readonly kind: 'log'; readonly line: string }
  | ({ readonly kind: 'done' } & ScriptResult)
  | ({ readonly kind: 'failed' } & ScriptFailure)
