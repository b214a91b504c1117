// A reporter of Vitest: what went wrong outside any test, such as a worker that was killed. `run-tests.ts` says it at the end of the run.
import { appendFileSync } from 'node:fs'
import type { Reporter } from 'vitest/node'

type FoundError = { readonly message: string; readonly cause?: unknown }

/** The cause names the file and the signal. */
const wordsOf = ({ message, cause }: FoundError): string =>
  [message, ...(cause instanceof Error ? [cause.message] : [])].map((text) => text.split('\n', 1)[0]).join(' ')

// oxlint-disable-next-line import/no-default-export -- Vitest takes a reporter by it
export default class implements Reporter {
  onTestRunEnd(_modules: unknown, errors: readonly FoundError[]): void {
    const file = process.env.GANTRY_ERRORS_OUTSIDE
    if (file !== undefined) for (const error of errors) appendFileSync(file, `${wordsOf(error)}\n`)
  }
}
