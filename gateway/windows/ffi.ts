// Calls functions of Windows itself, through the native half of koffi. Loaded with the first call, and on Windows only.
import { createRequire } from 'node:module'

/** Numbers, or bytes that the function reads or fills. Handles and pointers are numbers of 64 bits; a BigInt only above 2^53. */
export type Value = number | bigint | Buffer | null
export type Type = 'int' | 'uint32' | 'int64' | 'void *' | 'void'

type Library = {
  func(
    convention: '__stdcall',
    name: string,
    result: Type,
    parameters: readonly Type[],
  ): (...values: Value[]) => unknown
}
type Koffi = { load(file: string): Library }

let koffi: Koffi | undefined

/** The package for this processor is its native half: without the other half there is no install script, and nothing of it is installed on other systems. */
function loaded(): Koffi {
  if (process.platform !== 'win32') throw new Error('functions of Windows were called on another system')
  const name = `@koromix/koffi-win32-${process.arch}`
  try {
    // The type of the package: what this file uses of it.
    koffi ??= createRequire(import.meta.url)(name) as Koffi
    return koffi
  } catch (cause) {
    throw new Error(`the package ${name}, which calls functions of Windows, cannot be loaded. Install Gantry again`, {
      cause,
    })
  }
}

type Signatures = Readonly<Record<string, readonly [result: Type, ...parameters: Type[]]>>
export type Functions<S extends Signatures> = { readonly [N in keyof S]: (...values: Value[]) => unknown }

/** Functions of a library of the system, by name. Throws where one is missing. */
export function functionsOf<S extends Signatures>(library: string, signatures: S): Functions<S> {
  const from = loaded().load(library)
  const found = Object.entries(signatures).map(([name, [result, ...parameters]]) => [
    name,
    from.func('__stdcall', name, result, parameters),
  ])
  // Each name of S has its function.
  return Object.fromEntries(found) as Functions<S>
}
