// What the processes of one gateway and their parent say to each other, over the channel that Node opens for a child: no other program can reach it.
import type { Actor } from '../contract/role.ts'
import type { PermitAnswer, PermitRefund, PermitWant } from '../storage/permits.ts'

/** Says that there is something to read in the database, as PostgreSQL's notices do. */
export type Hint = 'changes' | 'messages'
/** The metrics of one process as text. */
export type Rendered = { readonly process: string; readonly text: string }

/** What a process asks its parent, and what it receives. */
export type Questions = {
  take: { readonly asks: readonly [readonly PermitWant[], readonly PermitRefund[]]; readonly answer: PermitAnswer }
  ping: { readonly asks: null; readonly answer: null }
  /** Of a process that received a signal to stop: whether it stops alone, and others take the connections. */
  leave: { readonly asks: null; readonly answer: boolean }
  /** Of the other processes, as this actor may see them. */
  metrics: { readonly asks: Actor; readonly answer: readonly Rendered[] }
}
export type Question = keyof Questions

export type ToParent =
  | { readonly kind: 'ask'; readonly id: number; readonly question: Question; readonly body: unknown }
  | { readonly kind: 'serving'; readonly url: string; readonly isNew: boolean }
  | { readonly kind: 'hint'; readonly hint: Hint }
  | { readonly kind: 'leads'; readonly leads: boolean }
  | { readonly kind: 'rendered'; readonly id: number; readonly text: string }

export type ToProcess =
  | { readonly kind: 'answer'; readonly id: number; readonly body: unknown }
  | { readonly kind: 'hint'; readonly hint: Hint }
  /** Whether another process of this gateway leads. */
  | { readonly kind: 'led'; readonly led: boolean }
  | { readonly kind: 'render'; readonly id: number; readonly actor: Actor }
  /** By which the command line recognizes this gateway, whichever process answers. */
  | { readonly kind: 'announced'; readonly url: string; readonly secret: string }
  | { readonly kind: 'stop' }
