// The thread of `upkeep.ts`: its own connections, one task after another.
import { parentPort, workerData } from 'node:worker_threads'
import { type Again, openFileAgain } from './database.ts'
import { untilEnded } from './database-thread.ts'
import { openServerAgain } from './postgres.ts'
import { type Reply, TASKS, type Task } from './upkeep.ts'

const again = workerData as Again // only `upkeep` starts this thread
const database =
  'url' in again ? openServerAgain(again.url, again.statementMs) : openFileAgain(again.path, again.durable)

async function done({ task, about }: { readonly task: Task; readonly about: unknown }): Promise<Reply> {
  try {
    const work = TASKS[task] as (...given: unknown[]) => Promise<void> // `upkeep` pairs them by type
    await work(database, about)
    return {}
  } catch (error) {
    return { failed: error instanceof Error ? error.message : String(error) }
  }
}

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
untilEnded(
  database,
  (asked) => void done(asked as Parameters<typeof done>[0]).then((reply) => parentPort?.postMessage(reply)),
) // what `upkeep` posts
