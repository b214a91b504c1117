// What an entry with an installed package runs: one process of node or Python, with files that are those that were installed.
import { installedOf, type LocalServerEntry } from '../../contract/local-servers.ts'
import { packedProgram, storeFault } from '../../instance/server-store.ts'

export type Store = ReturnType<typeof createStore>

type Installed = NonNullable<ReturnType<typeof installedOf>>

export function createStore(folder: string) {
  /** Of this life of the gateway, by what was installed: reading every file takes longer than a start. */
  const checked = new Map<string, Promise<string | undefined>>()

  function faultOf(pin: Installed): Promise<string | undefined> {
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
    check(entry: LocalServerEntry): void {
      const installed = installedOf(entry)
      if (installed !== undefined) void faultOf(installed)
    },
    /** Undefined for an entry that runs as the file has it; a sentence where the package may not run. */
    async programOf(entry: LocalServerEntry): Promise<ReturnType<typeof packedProgram>> {
      const installed = installedOf(entry)
      const fault = installed && (await faultOf(installed))
      return fault ?? packedProgram(folder, entry)
    },
  }
}
