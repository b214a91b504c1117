// Amounts in messages are whole numbers.
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { byteCount, milliseconds } from './amounts.ts'

const GATEWAY = path.resolve(import.meta.dirname, '..')

it('rounds times, and writes 1 byte in the singular', () => {
  expect([milliseconds(9_999.992_529), milliseconds(0), byteCount(0), byteCount(1), byteCount(2)]).toEqual([
    '10000 ms',
    '0 ms',
    '0 bytes',
    '1 byte',
    '2 bytes',
  ])
})

it('no message formats a time or size on its own', () => {
  const written = globSync('**/*.ts', { cwd: GATEWAY, exclude: (name) => /\.(test|fixture|suite)\.ts$/.test(name) })
    .filter((file) => file !== 'text/amounts.ts')
    .flatMap((file) =>
      readFileSync(path.join(GATEWAY, file), 'utf8')
        .split('\n')
        .filter((line) => /\$\{[^}]*\} (ms|bytes)\b/.test(line))
        .map((line) => `${file}: ${line.trim()}`),
    )
  expect(written.toSorted()).toEqual(
    [
      // The forms of contract 5.13, 8.6 and 8.11, and a value in the log.
      'telemetry/log.ts: if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`',
      'pipeline/4-answers/context-budget.ts: const marker = (kept: number, total: number): string => `\\n[truncated by gateway: ${kept} of ${total} bytes]`',
      "pipeline/8-audit/preview.ts: return `[${[String(block.type), ...(typeof mimeType === 'string' ? [mimeType] : []), `${bytes} bytes`].join(' ')}]`",
    ].toSorted(),
  )
})
