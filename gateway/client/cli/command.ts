// A command is a value: help, completions and docs/cli.md are made from the table of them.

import { homedir } from 'node:os'
import type { Client } from '../../contract/client.ts'
import type { API } from '../../contract/index.ts'
import type { ExitCode } from './exit.ts'
import type { GatewayAddress } from './transport.ts'

export type Option = {
  readonly type: 'string' | 'boolean'
  readonly summary: string
  /** One letter: `-o`. */
  readonly short?: string
  /** What stands for the value in help; for strings. */
  readonly value?: string
}
/** An option with a value: what stands for it in help, and what it is. */
export const takes = (value: string, summary: string, short?: string): Option => ({
  type: 'string',
  value,
  summary,
  ...(short !== undefined && { short }),
})
export type Command = {
  /** One word or two: `backend list`. */
  readonly name: string
  readonly summary: string
  /** Positional arguments; one in brackets may be left out, and one that ends in `…]` stands for any number. */
  readonly args?: readonly string[]
  readonly options?: Readonly<Record<string, Option>>
  readonly run: (context: Context) => Promise<ExitCode | void> | ExitCode | void
}

export type Context = {
  readonly api: Client<typeof API>
  /** The named gateway, else the one that runs here: looked for only when needed. */
  readonly target: () => Promise<GatewayAddress>
  /** Where gateways of this user say that they run. */
  readonly announcements: string
  readonly version: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly arg: (at: number) => string
  readonly maybe: (at: number) => string | undefined
  readonly text: (option: string) => string | undefined
  readonly flag: (option: string) => boolean
  /** The value for scripts with `--json`, else what a person reads. */
  readonly tell: (value: unknown, spoken?: string) => void
  /** For people, beside the answer. */
  readonly warn: (line: string) => void
  /** Whether the person agrees. Refused without a terminal: no option answers for the person. */
  readonly ask: (question: string) => Promise<boolean>
  readonly signal: AbortSignal
}

/** What Node's own `homedir` says, of an environment that was given. */
export const homeOf = (env: Context['env']): string =>
  (process.platform === 'win32' ? env['USERPROFILE'] : env['HOME']) || homedir()

/** Columns under headings, as wide as they need to be. */
export function table(rows: readonly Readonly<Record<string, unknown>>[], columns: readonly string[]): string {
  if (rows.length === 0) return 'none'
  const shown = (value: unknown): string =>
    value === null || value === undefined ? '-' : typeof value === 'object' ? JSON.stringify(value) : String(value)
  const lines = [columns, ...rows.map((row) => columns.map((column) => shown(row[column])))]
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)))
  return lines
    .map((line) =>
      line
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
