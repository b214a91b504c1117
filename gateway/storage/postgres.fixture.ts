// A real PostgreSQL server for the tests of a worker.
import { beforeAll } from 'vitest'
import { optionsFor } from './database.fixture.ts'
import { openPostgres } from './postgres.ts'
import { addressOn, askServer, hasPostgres, postgresHere, startPostgres } from './postgres-server.fixture.ts'

export { hasPostgres, postgresHere }

let server: Promise<number> | undefined
let template: Promise<string> | undefined
let made = 0

async function aCopy(port: number, of: string): Promise<string> {
  const name = `of_test_${++made}`
  await askServer(port, `create database ${name} template ${of} encoding 'UTF8'`)
  return name
}

/** A copy of it costs a tenth of the migrations. */
async function withTables(port: number): Promise<string> {
  const name = await aCopy(port, 'template0')
  const place = { dataDir: null, url: addressOn(port, name), poolMax: 1 }
  await (await openPostgres({ ...optionsFor(':memory:'), ...place })).close()
  return name
}

const started = (): Promise<number> =>
  (server ??= startPostgres(['fsync=off', 'full_page_writes=off', 'autovacuum=off']).then(({ port }) => port))

/** The address of a database of its own, on the one server of the worker. */
export async function aDatabaseAddress(state: 'empty' | 'migrated' = 'empty'): Promise<string> {
  const port = await started()
  const of = state === 'empty' ? 'template0' : await (template ??= withTables(port))
  return addressOn(port, await aCopy(port, of))
}

/** For a file: the server starts before its first test. */
export function usePostgres(): typeof aDatabaseAddress {
  if (hasPostgres) beforeAll(started)
  return aDatabaseAddress
}
