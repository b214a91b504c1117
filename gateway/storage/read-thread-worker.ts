// The thread of the read worker: its own read-only connection, one question after another.
import { parentPort, workerData } from 'node:worker_threads'
import { untilEnded } from './database-thread.ts'
import { QUESTIONS, type Question } from './questions.ts'
import type { Reply } from './read-worker.ts'
import { openReader } from './reader.ts'

// Only the read worker starts this thread, with exactly this data.
const reader = openReader(workerData as string)
const { query } = reader

type ReadRequest = { readonly question: Question; readonly about: unknown }

async function answer({ question, about }: ReadRequest): Promise<Reply> {
  try {
    const ask = QUESTIONS[question] as (...given: unknown[]) => Promise<unknown> // the read worker pairs them by type
    return { found: await ask(query, about) }
  } catch (error) {
    return { failed: error instanceof Error ? error.message : String(error) }
  }
}

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
untilEnded(reader, (asked) => void answer(asked as ReadRequest).then((reply) => parentPort?.postMessage(reply))) // what the read worker posts
