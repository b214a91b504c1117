// The functions of kernel32.dll that we call, with the types of their arguments.
import { type Functions, functionsOf } from './ffi.ts'

const SIGNATURES = {
  GetLastError: ['uint32'],
  CloseHandle: ['int', 'int64'],
  OpenProcess: ['int64', 'uint32', 'int', 'uint32'],
  TerminateProcess: ['int', 'int64', 'uint32'],
  WaitForSingleObject: ['uint32', 'int64', 'uint32'],
  GetProcessTimes: ['int', 'int64', 'void *', 'void *', 'void *', 'void *'],
  K32GetProcessMemoryInfo: ['int', 'int64', 'void *', 'uint32'],
  CreateToolhelp32Snapshot: ['int64', 'uint32', 'uint32'],
  Process32FirstW: ['int', 'int64', 'void *'],
  Process32NextW: ['int', 'int64', 'void *'],
  CreateJobObjectW: ['int64', 'void *', 'void *'],
  SetInformationJobObject: ['int', 'int64', 'int', 'void *', 'uint32'],
  QueryInformationJobObject: ['int', 'int64', 'int', 'void *', 'uint32', 'void *'],
  AssignProcessToJobObject: ['int', 'int64', 'int64'],
  IsProcessInJob: ['int', 'int64', 'int64', 'void *'],
  TerminateJobObject: ['int', 'int64', 'uint32'],
} as const

let functions: Functions<typeof SIGNATURES> | undefined

export const kernel32 = (): Functions<typeof SIGNATURES> => (functions ??= functionsOf('kernel32.dll', SIGNATURES))
