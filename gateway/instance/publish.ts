// A gateway says where it is found for as long as it listens, in a file of its user alone.

import { randomBytes, randomUUID } from 'node:crypto'
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import path from 'node:path'
import type { Settings } from '../settings/table.ts'
import type { Clock } from '../telemetry/clock.ts'
import { type Announcement, NONCE, proofOf } from './announcement.ts'
import { distrustOfFolder, readAnnouncements } from './read.ts'

type AnnouncedFields = Pick<Announcement, 'home' | 'version' | 'dataFolder' | 'database'> & {
  readonly clock: Clock
}

/** In the form that another reader writes them. */
export function placesOf({
  DATA_DIR,
  DB_PATH,
  DATABASE_URL,
}: Pick<Settings, 'DATA_DIR' | 'DB_PATH' | 'DATABASE_URL'>): Pick<Announcement, 'dataFolder' | 'database'> {
  return {
    dataFolder: DATA_DIR === null ? null : path.resolve(DATA_DIR),
    database: DB_PATH === ':memory:' || DATABASE_URL !== null ? null : path.resolve(DB_PATH),
  }
}

/** `folder` null: it cannot be found, and proves nothing. */
export function createAnnouncing(folder: string | null, { clock, ...facts }: AnnouncedFields) {
  const secret = randomBytes(32).toString('hex')
  const instance = randomUUID()
  const file = folder === null ? null : path.join(folder, `${instance}.json`)
  let published: string | undefined

  function withdraw(): void {
    published = undefined
    if (file === null) return
    process.off('exit', withdraw)
    try {
      rmSync(file, { force: true })
    } catch {
      // Its content no longer holds, and differs from one whose content does.
    }
  }

  return {
    secret,
    /** Answers who asks whether it is this gateway; nothing before it listens, or to what is no question. */
    prove: (nonce: string): string | undefined =>
      published === undefined || !NONCE.test(nonce) ? undefined : proofOf({ secret, url: published }, nonce),
    /** Throws where the file cannot be this user's alone. */
    publish(url: string): void {
      if (folder === null || file === null) return
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      const why = distrustOfFolder(folder)
      if (why !== undefined) throw new Error(`${folder}: ${why}`)
      forgetEnded(folder)
      const announcement: Announcement = {
        format: 1,
        instance,
        ...facts,
        machine: hostname(),
        pid: process.pid,
        url,
        startedAt: new Date(clock.now()).toISOString(),
        secret,
      }
      const beside = path.join(folder, `.${instance}.tmp`)
      try {
        writeFileSync(beside, `${JSON.stringify(announcement, null, 2)}\n`, { flag: 'wx', mode: 0o600 })
        renameSync(beside, file)
      } finally {
        rmSync(beside, { force: true })
      }
      published = url
      // However this process ends, short of being killed.
      process.once('exit', withdraw)
    },
    withdraw,
  }
}

/** What was killed could not take its file along. */
function forgetEnded(folder: string): void {
  for (const { file, ended } of readAnnouncements(folder).passedOver) if (ended) rmSync(file, { force: true })
}
