// Threads with their own database connections, ended while they start: terminating one that loads the driver aborts the process.
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, it } from 'vitest'
import { aDatabase, aFolder } from './database.fixture.ts'
import { type DatabaseThread, databaseThread } from './database-thread.ts'
import { askedBy } from './lanes.ts'
import { createReadWorker } from './read-worker.ts'

const WAYS: Readonly<Record<string, (thread: DatabaseThread) => Promise<void>>> = {
  'cut off': (thread) => thread.cutOff(),
  ended: (thread) => thread.end(),
}

it.each(Object.entries(WAYS))(
  'a thread that is %s while it starts has opened the database first',
  async (_way, end) => {
    const { file } = await aDatabase(join(aFolder(), 'gantry.db'))
    const worker = new Worker(new URL('./read-thread-worker.ts', import.meta.url), { workerData: file })
    const received: unknown[] = []
    worker.on('message', (message) => received.push(message))
    const thread = databaseThread(worker)
    await end(thread)
    expect(received).toEqual(['open'])
    expect(thread.over).toBe(true)
    await expect(thread.ask('anything')).rejects.toThrow('The thread ended')
  },
)

it('a thread whose database cannot be opened rejects what it is asked, and ends', async () => {
  const worker = new Worker(new URL('./read-thread-worker.ts', import.meta.url), {
    workerData: join(aFolder(), 'none.db'),
  })
  const thread = databaseThread(worker)
  await expect(thread.ask('anything')).rejects.toThrow(/none\.db/)
  await thread.end()
  expect(thread.over).toBe(true)
})

it('a client that leaves at once ends its query, and the next client is answered', async () => {
  const readWorker = createReadWorker(await aDatabase(join(aFolder(), 'gantry.db')))
  const since = { errorsFromMs: 0, recentFromMs: 0, baselineFromMs: 0 }
  for (let client = 0; client < 8; client++) {
    const leaving = new AbortController()
    const asked = askedBy.run(leaving.signal, () => readWorker.ask('lately', since))
    setTimeout(() => leaving.abort(new Error('the client left')), client)
    await asked.catch((error: Error) => expect(error.message).toBe('the client left'))
  }
  expect(await readWorker.ask('lately', since)).toBeDefined()
  await readWorker.close()
})
