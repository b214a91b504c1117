// Local servers: what the file of this machine lists, and how each is doing. Nothing here names a program to start.
import { z } from 'zod'
import { SANDBOXES, SHARINGS } from '../local-servers.ts'
import { Iso } from '../page.ts'
import { routes } from '../route.ts'

export const SERVER_STATES = ['stopped', 'resolving', 'starting', 'ready', 'idle', 'stopping', 'failed'] as const
export type ServerState = (typeof SERVER_STATES)[number]

/** Where the list of folders with commands is from. */
export const PATH_SOURCES = ['login_shell', 'environment', 'registry'] as const
export type SearchPath = { readonly text: string; readonly from: (typeof PATH_SOURCES)[number] }

const count = z.number().int()

export const LocalServerProcess = z.object({
  state: z.enum(SERVER_STATES),
  pid: count.nullable(),
  since: Iso.describe('when it entered this state'),
  calls: count,
  memoryBytes: count.nullable().describe('with what it started, as of the last few seconds'),
})
export type LocalServerProcess = z.infer<typeof LocalServerProcess>

export const LocalServer = z.object({
  name: z.string(),
  state: z.enum(SERVER_STATES),
  reason: z.string().nullable().describe('why it failed, and what to do'),
  command: z.string().describe('the full command, as the file has it'),
  file: z.string().nullable().describe('the program that the command was found to be'),
  package: z
    .object({
      name: z.string(),
      version: z.string(),
      integrity: z.string(),
      kind: z.enum(['package', 'bundle']),
      previous: z.string().nullable().describe('the version that ran before the last update'),
    })
    .nullable()
    .describe(
      'what is installed of it: the package that runs instead of the package runner of the command, or its bundle',
    ),
  sandbox: z.enum(SANDBOXES),
  sharing: z.enum(SHARINGS),
  idleMinutes: z.number(),
  env: z.array(z.string()).describe('names only'),
  secrets: z.array(z.object({ name: z.string(), isSet: z.boolean() })),
  startMs: count.nullable().describe('from the start to the running program'),
  handshakeMs: count
    .nullable()
    .describe('from the running program to its answer, downloads of a package runner included'),
  waiting: count.describe('calls that wait for a process'),
  memoryMb: count.describe(
    'what each of its processes may hold with all that it starts; more ends it. Measured on Linux',
  ),
  processes: z.array(LocalServerProcess),
  network: z
    .array(z.object({ at: Iso, host: z.string(), port: count, refused: z.string().nullable() }))
    .describe('connections that it asked for, with "sandbox": "os"; the newest last'),
  lastOutput: z.array(z.string()).describe('lines beside its messages, the newest last'),
})
export type LocalServer = z.infer<typeof LocalServer>

export const LocalServerList = z.object({
  items: z.array(LocalServer),
  path: z.string().describe('where commands are looked for'),
  pathFrom: z
    .enum(PATH_SOURCES)
    .describe(
      'login_shell: of this person, asked once; environment: the gateway was started with it; registry: of Windows, read for each start, with what the gateway was started with behind it',
    ),
  problems: z.array(z.object({ name: z.string(), message: z.string() })).describe('entries that are not used'),
})
export type LocalServerList = z.infer<typeof LocalServerList>

const one = { access: 'superadmin', errors: ['CLIENT_NOT_FOUND'], reply: LocalServer } as const

export const localServers = routes({
  list: {
    method: 'GET',
    path: '/admin-api/local-servers',
    access: 'superadmin',
    summary: 'List the local servers of this instance with their state and last output',
    reply: LocalServerList,
  },
  get: {
    method: 'GET',
    path: '/admin-api/local-servers/:name',
    ...one,
    summary: 'Show one local server',
  },
  stop: {
    method: 'POST',
    path: '/admin-api/local-servers/:name/stop',
    ...one,
    summary: 'Stop the processes of a local server; its next call starts one again',
    audit: 'local_server.stop',
  },
  restart: {
    method: 'POST',
    path: '/admin-api/local-servers/:name/restart',
    ...one,
    summary: 'Stop a local server and start it as the file says; earlier failures no longer count',
    audit: 'local_server.restart',
  },
  setSecret: {
    method: 'PUT',
    path: '/admin-api/local-servers/:name/secrets/:key',
    ...one,
    summary: 'Set a secret that the file declares; it is sealed, and given to the next start',
    body: z.strictObject({ value: z.string().min(1).max(65_536) }),
    audit: 'local_server.secret.set',
    errors: ['CLIENT_NOT_FOUND', 'NOT_CONFIGURED', 'SECRET_BOX_NOT_CONFIGURED'],
  },
  deleteSecret: {
    method: 'DELETE',
    path: '/admin-api/local-servers/:name/secrets/:key',
    ...one,
    status: 200,
    summary: 'Delete a secret of a local server',
    audit: 'local_server.secret.delete',
    errors: ['CLIENT_NOT_FOUND', 'NOT_CONFIGURED'],
  },
})
