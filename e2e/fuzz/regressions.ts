// Cases that found a fault, kept as they were printed: every run tests all of them first. Add a case with the fault it found.
import type { Case as AnswerCase } from './answers.fixture.ts'
import type { ConfigurationCase, Case as SpecificationCase } from './documents.fixture.ts'
import type { Case as MessageCase } from './messages.fixture.ts'

const AS_WRITTEN = { how: 'none', at: 0, byte: 0 } as const

export const MESSAGES: readonly MessageCase[] = [
  // An error message repeated the escape sequence of the method it did not find.
  {
    template: 4,
    path: '/mcp/rest',
    era: 'bare',
    id: '',
    changes: [{ at: 4485, how: 'replace', raw: '"\\u001b[31mred\\u001b[0m"' }],
    bytes: AS_WRITTEN,
    batch: -1,
    headers: {},
    framing: 'length',
    cuts: [],
  },
]

const runOf = (text: string, times: number): AnswerCase => ({
  target: 'plain',
  status: 200,
  headers: {},
  body: 'json',
  changes: [],
  bytes: AS_WRITTEN,
  run: { text, times },
  framing: 'length',
  cuts: [],
})

export const ANSWERS: readonly AnswerCase[] = [
  // A run of an escape's first character cost its length times 2,048 steps on the main thread.
  runOf('\\u009d', 400_000),
  { ...runOf('\\u009d', 400_000), target: 'legacy' },
  { ...runOf('eyJ-', 200_000), target: 'scanned' },
]

export const SPECIFICATIONS: readonly SpecificationCase[] = []

export const CONFIGURATIONS: readonly ConfigurationCase[] = []
