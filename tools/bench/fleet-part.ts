// What the parts about several gateways share: a backend, servers that end with the part, and databases.
import path from 'node:path'
import { addressOn, askServer, startPostgres } from '../../gateway/storage/postgres-server.fixture.ts'
import type { Fleet } from './fleet-load.ts'
import type { BenchPart, BenchRow } from './index.ts'
import { type Server, startServer } from './server.ts'

const UPSTREAM = path.join(import.meta.dirname, 'plane-upstream.mjs')

/** Ends in the reverse order what the rows of a part have begun. */
export type Scope = <T>(begun: T, end: (begun: T) => unknown) => T

export function part(name: string, rows: (scope: Scope, upstream: Server) => AsyncIterable<BenchRow>): BenchPart {
  return {
    name: `fleet-${name}`,
    async *run() {
      const ends: (() => unknown)[] = []
      const scope: Scope = (begun, end) => {
        ends.unshift(() => end(begun))
        return begun
      }
      try {
        yield* rows(
          scope,
          scope(await startServer(UPSTREAM), (server) => server.stop()),
        )
      } finally {
        for (const end of ends) await end()
      }
    },
  }
}

export const fleetIn = async (scope: Scope, begun: Promise<Fleet>): Promise<Fleet> =>
  scope(await begun, ({ stop }) => stop())

/** A database of the server for one fleet. */
export async function aDatabase(port: number, name: string): Promise<{ readonly DATABASE_URL: string }> {
  await askServer(port, `create database ${name}`)
  return { DATABASE_URL: addressOn(port, name) }
}

type PostgresOfPart = { readonly port: number; readonly pid: number }

/** With the settings of Debian: a commit is on the disk. */
export async function aPostgres(scope: Scope): Promise<PostgresOfPart> {
  const { port, child } = scope(await startPostgres([]), (server) => server.child.stdin?.end())
  return { port, pid: child.pid ?? 0 }
}
