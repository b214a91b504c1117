// Local servers: the file becomes backends, and a person sees, stops and restarts them. No input of a request reaches a command.

import type { LocalServer, LocalServerList } from '../../contract/admin/local-servers.ts'
import { GatewayError } from '../../contract/error.ts'
import { commandLine, installedOf, type LocalServerEntry } from '../../contract/local-servers.ts'
import type { Actor } from '../../contract/role.ts'
import type { Base } from '../../records/base.ts'
import type { By } from '../../records/changes.ts'
import { metaRef } from '../../secrets/check.ts'
import { forgetSecret, secretIsSet, secretKey } from '../../storage/local-servers.ts'
import { createEntries, type EntriesDeps } from './entries.ts'

export type LocalServers = ReturnType<typeof createLocalServers>

type Deps = EntriesDeps & Pick<Base, 'box'>

const notFound = (): GatewayError =>
  new GatewayError('CLIENT_NOT_FOUND', 'Client not found among the local servers of this instance')

function packageOf(entry: LocalServerEntry): LocalServer['package'] {
  const installed = installedOf(entry)
  if (installed === undefined) return null
  const { name, version, integrity } = installed
  return {
    name,
    version,
    integrity,
    kind: entry.pin ? 'package' : 'bundle',
    previous: entry.pin?.previous?.version ?? null,
  }
}

export function createLocalServers(deps: Deps) {
  const { database, changes, box, programs } = deps
  const entries = createEntries(deps)
  const { entryOf } = entries

  function required(name: string): LocalServerEntry {
    const entry = entryOf(name)
    if (entry === undefined) throw notFound()
    return entry
  }

  function declared(name: string, key: string): string {
    if (!required(name).secrets.includes(key))
      throw new GatewayError(
        'NOT_CONFIGURED',
        `The file does not declare "${key.slice(0, 128)}" in secrets of this server`,
      )
    return secretKey(name, key)
  }

  async function show(name: string): Promise<LocalServer> {
    const entry = required(name)
    const report = programs.report(name)
    if (report === undefined) throw notFound()
    const secrets = entry.secrets.map(async (key) => ({
      name: key,
      isSet: await secretIsSet(database.query, secretKey(name, key)),
    }))
    return {
      name,
      command: commandLine(entry),
      package: packageOf(entry),
      sandbox: entry.sandbox,
      sharing: entry.sharing,
      idleMinutes: entry.idleMinutes,
      memoryMb: entry.memoryMb,
      env: Object.keys(entry.env).sort(),
      secrets: await Promise.all(secrets),
      ...report,
      processes: [...report.processes],
      network: report.network.map((each) => ({ ...each, at: new Date(each.at).toISOString() })),
      lastOutput: [...report.lastOutput],
    }
  }

  return {
    ...entries,
    async list(_actor: Actor): Promise<LocalServerList> {
      const { text, from } = await programs.path()
      return {
        items: await Promise.all(entries.names().map(show)),
        path: text,
        pathFrom: from,
        problems: [...entries.problems()].map(([name, message]) => ({ name, message })),
      }
    },
    get: (_actor: Actor, name: string): Promise<LocalServer> => show(name),
    async stop(by: By, name: string): Promise<LocalServer> {
      required(name)
      await changes(by, (_tx, audit) => audit('local_server.stop', name))
      await programs.stop(name)
      return show(name)
    },
    async restart(by: By, name: string): Promise<LocalServer> {
      required(name)
      await changes(by, (_tx, audit) => audit('local_server.restart', name))
      // Its failure is in the record.
      await programs.restart(name).then(
        () => entries.discover(name),
        () => undefined,
      )
      return show(name)
    },
    async setSecret(by: By, name: string, key: string, { value }: { readonly value: string }): Promise<LocalServer> {
      const ref = declared(name, key)
      const sealed = await box.seal(value, metaRef(ref))
      await changes(by, async (tx, audit) => {
        await database.meta.set(ref, sealed, tx)
        await audit('local_server.secret.set', name, { secret: key })
      })
      await programs.stop(name)
      entries.discoverNew(name)
      return show(name)
    },
    async deleteSecret(by: By, name: string, key: string): Promise<LocalServer> {
      const ref = declared(name, key)
      if (await secretIsSet(database.query, ref)) {
        await changes(by, async (tx, audit) => {
          await forgetSecret(tx, ref)
          await audit('local_server.secret.delete', name, { secret: key })
        })
        await programs.stop(name)
      }
      return show(name)
    },
  }
}
