// Reads who owns a file or folder of Windows and who may write it, and says what is wrong with that.
import path from 'node:path'
import { advapi32, wide } from './advapi32.ts'
import { kernel32 } from './kernel32.ts'
import { othersAccess, othersText, READ_OR_WRITE, WRITE } from './others-access.ts'
import { type Security, securityIn, sidAt } from './security-descriptor.ts'

const OWNER_AND_LIST = 0x1 | 0x4
const TOKEN_QUERY = 0x8
const TOKEN_USER = 1
/** Of the pointer and attributes before the SID. */
const TOKEN_USER_BYTES = 16
const THIS_PROCESS = -1
/** No list is longer. */
const MOST_BYTES = 131_072

const failed = (what: string): never => {
  throw new Error(`${what} cannot be read (Windows error ${String(kernel32().GetLastError())})`)
}

let user: string | undefined

/** Of the user that this process runs as. */
export function userSid(): string {
  if (user !== undefined) return user
  const [token, bytes, size] = [Buffer.alloc(8), Buffer.alloc(256), Buffer.alloc(4)]
  const { OpenProcessToken, GetTokenInformation } = advapi32()
  if (OpenProcessToken(THIS_PROCESS, TOKEN_QUERY, token) === 0) failed('the user of this process')
  const handle = token.readBigInt64LE()
  try {
    if (GetTokenInformation(handle, TOKEN_USER, bytes, bytes.length, size) === 0) failed('the user of this process')
  } finally {
    kernel32().CloseHandle(handle)
  }
  return (user = sidAt(bytes.subarray(0, size.readUInt32LE()), TOKEN_USER_BYTES))
}

export function securityOf(file: string): Security {
  const name = wide(path.toNamespacedPath(path.resolve(file)))
  const [bytes, size] = [Buffer.alloc(MOST_BYTES), Buffer.alloc(4)]
  if (advapi32().GetFileSecurityW(name, OWNER_AND_LIST, bytes, bytes.length, size) === 0)
    failed(`the access list of ${file}`)
  return securityIn(bytes.subarray(0, Math.min(bytes.length, size.readUInt32LE())))
}

/** Why another user may write a file or folder, or read it, with what to do; undefined where no other user may. */
export function othersFault(file: string, isFolder: boolean, may: 'write' | 'read'): string | undefined {
  const access = othersAccess(securityOf(file), userSid(), may === 'write' ? WRITE : READ_OR_WRITE)
  return access && othersText(access, { path: file, isFolder }, userSid(), may)
}
