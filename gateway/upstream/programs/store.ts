// What an entry with an installed package runs: one process of node or Python, with files that are those that were installed.
import path from 'node:path'
import type { LocalServerEntry } from '../../contract/local-servers.ts'
import { packageIn } from '../../contract/package-command.ts'
import { storeFault } from '../../instance/server-store.ts'

export type Store = ReturnType<typeof createStore>

type Packed = { readonly command: string; readonly args: readonly string[] }

export function createStore(folder: string) {
  /** Of this life of the gateway, by what was installed: reading every file takes longer than a start. */
  const checked = new Map<string, Promise<string | undefined>>()

  function faultOf(pin: NonNullable<LocalServerEntry['pin']>): Promise<string | undefined> {
    const key = `${pin.folder} ${pin.digest}`
    const known = checked.get(key)
    if (known) return known
    const found = storeFault(folder, pin).catch((error: unknown) => String(error))
    checked.set(key, found)
    // The person may install it again.
    void found.then((fault) => fault !== undefined && checked.delete(key))
    return found
  }

  return {
    /** Begins the check, so that the first start need not wait for it. */
    check({ pin }: LocalServerEntry): void {
      if (pin !== undefined) void faultOf(pin)
    },
    /** Undefined for an entry that runs as the file has it; a sentence where the package may not run. */
    async programOf(entry: LocalServerEntry): Promise<Packed | string | undefined> {
      const { pin } = entry
      if (pin === undefined) return undefined
      const wanted = packageIn(entry)
      if (typeof wanted !== 'object') return wanted ?? 'it has no package'
      const fault = await faultOf(pin)
      if (fault !== undefined) return fault
      const at = path.join(folder, pin.folder)
      const command = wanted.from === 'npm' ? 'node' : path.join(at, 'venv', 'bin', 'python')
      return { command, args: [path.join(at, pin.program), ...wanted.args] }
    },
  }
}
