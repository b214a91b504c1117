// A Job Object: holds a process with all that it starts, and the system ends them with the last handle, which is ours.
import { holdWithDescendants, type Seen } from './descendants.ts'
import { kernel32 } from './kernel32.ts'

export type Job = {
  /** With what it started already. Throws where one of them cannot be held. */
  hold(pid: number): void
  processes(): readonly number[]
  /** Of all its processes; what several share is counted for each. */
  memoryBytes(): number
  /** Ends all at once. */
  end(): void
  /** What is still in it ends. */
  close(): void
}

const EXTENDED_LIMITS = 9
const LIMITS_BYTES = 144
const FLAGS_AT = 16
const JOB_MEMORY_AT = 120
/** None of them may leave, since no flag allows it. */
const KILL_ON_CLOSE = 0x2000
const JOB_MEMORY = 0x200

const PROCESS_LIST = 3
const LIST_HEADER_BYTES = 8
const ID_BYTES = 8
const MORE_DATA = 234

const TERMINATE = 0x1
const SET_QUOTA = 0x100
const QUERY = 0x1000
const SYNCHRONIZE = 0x10_0000
const INVALID_PARAMETER = 87
const IS_OVER = 0

const SNAPSHOT_OF_PROCESSES = 2
const ENTRY_BYTES = 568
const MEMORY_BYTES = 80
const WORKING_SET_AT = 16
const ENDED_BY_US = 1

// Handles are small numbers; the type is that of the function.
const handleOf = (value: unknown): number => (typeof value === 'number' && value > 0 ? value : 0)

function failed(what: string): Error {
  return new Error(`Windows refuses to ${what} (error ${String(kernel32().GetLastError())})`)
}

function withProcess<T>(pid: number, access: number, use: (handle: number) => T): T | undefined {
  const handle = handleOf(kernel32().OpenProcess(access, 0, pid))
  if (handle === 0) return undefined
  try {
    return use(handle)
  } finally {
    kernel32().CloseHandle(handle)
  }
}

function bornAt(pid: number): bigint | undefined {
  return withProcess(pid, QUERY, (handle) => {
    const [born, ended, kernel, user] = [0, 0, 0, 0].map(() => Buffer.alloc(8))
    if (born === undefined || ended === undefined || kernel === undefined || user === undefined) return undefined
    return kernel32().GetProcessTimes(handle, born, ended, kernel, user) ? born.readBigUInt64LE() : undefined
  })
}

function look(): readonly Seen[] {
  const { CreateToolhelp32Snapshot, Process32FirstW, Process32NextW, CloseHandle } = kernel32()
  const snapshot = handleOf(CreateToolhelp32Snapshot(SNAPSHOT_OF_PROCESSES, 0))
  if (snapshot === 0) throw failed('list the processes')
  const entry = Buffer.alloc(ENTRY_BYTES)
  entry.writeUInt32LE(ENTRY_BYTES)
  const all: Seen[] = []
  for (let more = Process32FirstW(snapshot, entry); more; more = Process32NextW(snapshot, entry))
    all.push({ pid: entry.readUInt32LE(8), parent: entry.readUInt32LE(32) })
  CloseHandle(snapshot)
  return all
}

function processesIn(job: number): readonly number[] {
  for (let room = 64; ; room *= 4) {
    const list = Buffer.alloc(LIST_HEADER_BYTES + room * ID_BYTES)
    const done = kernel32().QueryInformationJobObject(job, PROCESS_LIST, list, list.length, null)
    if (!done && kernel32().GetLastError() !== MORE_DATA) throw failed('list the processes of a Job Object')
    const [assigned, listed] = [list.readUInt32LE(0), list.readUInt32LE(4)]
    if (done && listed >= assigned)
      return Array.from({ length: listed }, (_, at) => Number(list.readBigUInt64LE(LIST_HEADER_BYTES + at * ID_BYTES)))
  }
}

function assign(job: number, pid: number): void {
  const { OpenProcess, AssignProcessToJobObject, WaitForSingleObject, CloseHandle, GetLastError } = kernel32()
  const handle = handleOf(OpenProcess(TERMINATE | SET_QUOTA | QUERY | SYNCHRONIZE, 0, pid))
  if (handle === 0) {
    if (GetLastError() === INVALID_PARAMETER) return
    throw failed(`open process ${pid}, which the program started`)
  }
  try {
    if (AssignProcessToJobObject(job, handle)) return
    const refusal = failed(`put process ${pid} into a Job Object`)
    if (WaitForSingleObject(handle, 0) === IS_OVER) return
    kernel32().TerminateProcess(handle, ENDED_BY_US)
    throw refusal
  } finally {
    CloseHandle(handle)
  }
}

function memoryOf(pid: number): number {
  const bytes = withProcess(pid, QUERY, (handle) => {
    const counters = Buffer.alloc(MEMORY_BYTES)
    counters.writeUInt32LE(MEMORY_BYTES)
    return kernel32().K32GetProcessMemoryInfo(handle, counters, MEMORY_BYTES)
      ? Number(counters.readBigUInt64LE(WORKING_SET_AT))
      : 0
  })
  return bytes ?? 0
}

/** Throws where the system makes none. */
export function createJob(limitBytes: number): Job {
  const { CreateJobObjectW, SetInformationJobObject, TerminateJobObject, CloseHandle } = kernel32()
  // Without a name and attributes: no other process opens it, and none inherits it.
  const job = handleOf(CreateJobObjectW(null, null))
  if (job === 0) throw failed('make a Job Object')
  const limits = Buffer.alloc(LIMITS_BYTES)
  limits.writeUInt32LE(KILL_ON_CLOSE | JOB_MEMORY, FLAGS_AT)
  limits.writeBigUInt64LE(BigInt(limitBytes), JOB_MEMORY_AT)
  if (!SetInformationJobObject(job, EXTENDED_LIMITS, limits, LIMITS_BYTES)) {
    const refusal = failed('limit a Job Object')
    CloseHandle(job)
    throw refusal
  }
  /** A number that was closed may be that of something else. */
  let isClosed = false
  const processes = (): readonly number[] => (isClosed ? [] : processesIn(job))
  return {
    hold(pid) {
      if (isClosed) throw new Error('the Job Object is closed')
      holdWithDescendants(pid, { look, bornAt, hold: (one) => assign(job, one), held: () => new Set(processes()) })
    },
    processes,
    memoryBytes: () => processes().reduce((sum, pid) => sum + memoryOf(pid), 0),
    end: () => void (isClosed || TerminateJobObject(job, ENDED_BY_US)),
    close() {
      if (isClosed) return
      isClosed = true
      CloseHandle(job)
    },
  }
}
