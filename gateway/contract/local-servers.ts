// The file of local servers: the format that MCP clients use, with fields of ours. Only a person of this machine writes it.
import { z } from 'zod'
import { BackendName } from './names.ts'
import { packageIn } from './package-command.ts'

export const SHARINGS = ['shared', 'session', 'principal'] as const
/** What limits a program: nothing (`none` and `group`, which both have a group and a small environment), the operating system, a container. */
export const SANDBOXES = ['none', 'group', 'os', 'container'] as const

/** Variables that make a program load code: none is a secret, and none reaches what makes a sandbox. */
export const LOADS_CODE =
  /^(?:PATH|IFS|ENV|BASH_.*|BASHOPTS|PS4|GCONV_PATH|LOCPATH|GLIBC_TUNABLES|SHELLOPTS|NODE_OPTIONS|NODE_PATH|LD_\w+|DYLD_\w+|PYTHON\w*|PERL5\w*|RUBY\w+|JAVA_TOOL_OPTIONS|GANTRY_\w*|PATHEXT|COMSPEC|SYSTEMROOT|WINDIR)$/i
const SecretName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'must be the name of an environment variable')
  .refine((name) => !LOADS_CODE.test(name), 'makes a program load code; it cannot be a secret')

/** Of any system: the file may be written on one and read on another, which then does not find it. */
const ABSOLUTE = /^(?:\/|[A-Za-z]:[\\/])/

const IMAGE = /^[a-z0-9][\w./:-]*@sha256:[0-9a-f]{64}$/

const noNul = (text: string): boolean => !text.includes('\0')
const Text = (most: number) => z.string().max(most).refine(noNul, 'must not contain NUL')

const Pinned = z.object({
  name: Text(214).min(1),
  version: Text(128).min(1),
  integrity: z.string().regex(/^sha(?:256|512)-[A-Za-z0-9+/=]{40,100}$/),
  folder: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .describe('in the store beside the file: the hash of its whole lock'),
  digest: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .describe('of every installed file'),
  program: z
    .string()
    .max(1_024)
    .regex(/^(?![/\\])[^\0\\]+$/)
    .refine((file) => !file.split('/').includes('..'), 'must be inside its folder'),
})
export type Pinned = z.infer<typeof Pinned>

export const LocalServerEntry = z.object({
  type: z.literal('stdio', 'must be "stdio": register a remote server by its URL').optional(),
  disabled: z.boolean().optional(),
  command: Text(4096).min(1),
  args: z.array(Text(32_768)).max(1_000).default([]),
  env: z.record(z.string().regex(/^[^=\0]{1,256}$/), Text(131_072)).default({}),
  cwd: Text(4096).regex(ABSOLUTE, 'must be an absolute path').optional(),
  sandbox: z.enum(SANDBOXES).default('group'),
  sharing: z.enum(SHARINGS).default('shared'),
  idleMinutes: z.number().min(0.05).max(1_440).default(10),
  memoryMb: z.number().int().min(32).max(1_048_576).default(4_096),
  secrets: z.array(SecretName).max(100).default([]),
  hosts: z
    .array(
      z
        .string()
        .regex(
          /^(?:\*\.)?[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251})(?::\d{1,5})?$/,
          'must be a host, such as api.example.com, *.example.com or example.com:8443',
        ),
    )
    .max(100)
    .default([]),
  folders: z
    .array(
      Text(4096)
        .regex(ABSOLUTE, 'must be an absolute path')
        .regex(/^[^,]*$/, 'must not contain a comma'),
    )
    .max(100)
    .default([]),
  pin: Pinned.extend({ previous: Pinned.optional() })
    .optional()
    .describe('written by gantry servers: the installed package that runs instead of the package runner'),
  bundle: Pinned.omit({ program: true })
    .optional()
    .describe('written by gantry servers: the unpacked bundle (.mcpb) that its command is in'),
  image: z
    .object({ tag: Text(4_096), previous: z.string().max(4_096).regex(IMAGE).optional() })
    .optional()
    .describe('written by gantry servers: the tag by which the digest of its image was found, and the image before it'),
})
export type LocalServerEntry = z.infer<typeof LocalServerEntry>

/** What an entry has in the store. */
export const installedOf = ({ pin, bundle }: LocalServerEntry): Omit<Pinned, 'program'> | undefined => pin ?? bundle

export type LocalServers = {
  readonly entries: ReadonlyMap<string, LocalServerEntry>
  /** By name: why an entry is not used. */
  readonly problems: ReadonlyMap<string, string>
}

const Document = z.object({ mcpServers: z.record(z.string(), z.unknown()) })
const MOST_ENTRIES = 100

/** Throws a sentence where the text as a whole cannot be used. */
export function readLocalServers(text: string): LocalServers {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new Error('it is not JSON')
  }
  const document = Document.safeParse(value)
  if (!document.success) throw new Error('it has no "mcpServers" object')
  const named = Object.entries(document.data.mcpServers)
  if (named.length > MOST_ENTRIES) throw new Error(`it has more than ${MOST_ENTRIES} servers`)
  const entries = new Map<string, LocalServerEntry>()
  const problems = new Map<string, string>()
  for (const [name, given] of named) {
    const judged = judge(name, given)
    if (typeof judged === 'string') problems.set(name, judged)
    else if (!judged.disabled) entries.set(name, judged)
  }
  return { entries, problems }
}

function judge(name: string, given: unknown): LocalServerEntry | string {
  if (!BackendName.safeParse(name).success)
    return 'its name must have 1 to 63 lower-case letters, digits, "_" or "-", without "__" and not "_" at its end'
  if (typeof given === 'object' && given !== null && 'url' in given)
    return 'it names a URL: register a remote server as a backend'
  const { success, data, error } = LocalServerEntry.safeParse(given)
  if (!success) return error.issues.map(({ path, message }) => `${path.join('.') || 'it'}: ${message}`).join('; ')
  const fault = sandboxFault(data)
  if (fault !== undefined) return fault
  if (data.pin !== undefined && typeof (packageIn(data) ?? '') === 'string')
    return 'pin needs a command of npx or uvx: remove pin, or run gantry servers pin'
  if (data.pin !== undefined && data.bundle !== undefined) return 'it has a pin and a bundle: leave out one'
  const both = data.secrets.find((key) => Object.hasOwn(data.env, key))
  return both === undefined ? data : `"${both}" is in env and in secrets: leave it out of env`
}

function sandboxFault({ sandbox, hosts, folders, command, cwd }: LocalServerEntry): string | undefined {
  if (sandbox === 'container') {
    if (!IMAGE.test(command))
      return 'command must be an image by its digest, name@sha256:…, with "sandbox": "container"'
    if (hosts.length > 0 || cwd !== undefined)
      return 'a container has no network here and no cwd: leave out hosts and cwd'
    return undefined
  }
  return sandbox !== 'os' && hosts.length + folders.length > 0
    ? 'hosts and folders limit nothing without "sandbox": "os"'
    : undefined
}

type Command = { readonly command: string; readonly args: readonly string[] }
/** What a shell would need to start the same program; for people, never run. */
export const commandLine = ({ command, args }: Command): string => [command, ...args].map(quoted).join(' ')

/** For a shell. */
export const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
