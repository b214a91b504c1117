// The functions of advapi32.dll that we call, with the types of their arguments.
import { type Functions, functionsOf } from './ffi.ts'

const SIGNATURES = {
  GetFileSecurityW: ['int', 'void *', 'uint32', 'void *', 'uint32', 'void *'],
  OpenProcessToken: ['int', 'int64', 'uint32', 'void *'],
  GetTokenInformation: ['int', 'int64', 'int', 'void *', 'uint32', 'void *'],
  RegGetValueW: ['int', 'int64', 'void *', 'void *', 'uint32', 'void *', 'void *', 'void *'],
} as const

let functions: Functions<typeof SIGNATURES> | undefined

export const advapi32 = (): Functions<typeof SIGNATURES> => (functions ??= functionsOf('advapi32.dll', SIGNATURES))

/** As these functions take it. */
export const wide = (text: string): Buffer => Buffer.from(`${text}\0`, 'utf16le')
