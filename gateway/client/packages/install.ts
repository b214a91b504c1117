// Installs the package of a command into the store: exact version, integrity, no scripts. Run by the person at the terminal only.
import type { Pinned } from '../../contract/local-servers.ts'
import type { PackageCommand } from '../../contract/package-command.ts'
import { putInStore } from '../../instance/server-store.ts'
import type { Environment } from './environment.ts'
import { installNpm } from './npm.ts'
import { installPypi } from './pypi.ts'

export type Installing = { readonly folder: string; readonly env: Environment; readonly signal: AbortSignal }

export type Installed = Omit<Pinned, 'digest'> & {
  /** Versions by name, dependencies included. */
  readonly packages: ReadonlyMap<string, string>
  /** Packages whose install scripts were not run. */
  readonly scripts: readonly string[]
}

const KINDS = { npm: installNpm, pypi: installPypi } as const

export type Install = Omit<Installing, 'folder'> & { readonly store: string }

export function installPackage(
  wanted: PackageCommand,
  { store, env, signal }: Install,
): Promise<Installed & { readonly digest: string }> {
  return putInStore(store, (folder) => KINDS[wanted.from](wanted, { folder, env, signal }))
}
