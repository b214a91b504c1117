// The messages between main and the gateway's process: plain data, copied by structured clone.
import type { DesktopEvent } from '#channels'
import type { ClientRequest } from '#contract'

export type Environment = Readonly<Record<string, string | undefined>>

/** `paused` and `safe` serve the window alone; `safe` opens no editor either. */
export type Mode = 'running' | 'paused' | 'safe'

export type Prepared = {
  /** Includes the encryption key of stored credentials, which is sent over the port only, never as an argument or variable. */
  readonly env: Environment
  /** The port is the user's own word: if it is taken, that is an error. */
  readonly portFixed: boolean
  /** Why credentials cannot be stored. */
  readonly lack: string | null
}

export type Opened = {
  readonly url: string | null
  readonly movedFrom: string | null
  /** The time limit of a close. */
  readonly closeWithinMs: number
}

export type Command =
  | { readonly command: 'open'; readonly prepared: Prepared; readonly mode: Mode }
  | { readonly command: 'request'; readonly request: ClientRequest }

/** `close` has no response: the process exits. */
export type ToGateway = (Command & { readonly id: number }) | { readonly command: 'close' }

export type FromGateway =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: string }
  | { readonly event: DesktopEvent }
  /** An uncaught exception: the state of the gateway is unknown. */
  | { readonly crash: { readonly message: string; readonly stack: string } }
