// Why a local server did not start or went away, in words that say what to do. Pure.
import type { LocalServerEntry } from '../../contract/local-servers.ts'
import { milliseconds } from '../../text/amounts.ts'
import type { Exit } from './process.ts'

type Failure = {
  readonly command: string
  readonly sandbox: LocalServerEntry['sandbox']
  readonly args: readonly string[]
  /** How it ended; undefined while it runs and does not answer. */
  readonly exit: Exit | undefined
  /** Between its start and the failure. */
  readonly afterMs: number
  /** Lines beside its messages, the last of them last. */
  readonly output: readonly string[]
  readonly isReady: boolean
}

const RUNNERS = /(?:^|[\\/])(?:npx|uvx|bunx|pipx|pnpx)(?:\.cmd|\.exe)?$/i
const PYTHON_RUNNERS = /(?:^|[\\/])(?:uvx|pipx)(?:\.exe)?$/i

type Cause = { readonly found: (failure: Failure, text: string) => boolean; readonly text: string }

/** Of an engine, before its container runs. */
const ENGINE_FAILED = 125
/** In a container: 128 and the number of KILL. */
const KILLED = 137

const inContainer = (text: RegExp, says: string): Cause => ({
  found: ({ sandbox, exit }, output) => sandbox === 'container' && exit?.code === ENGINE_FAILED && text.test(output),
  text: says,
})

/** The first that fits. */
const CAUSES: readonly Cause[] = [
  inContainer(
    /manifest unknown|name unknown|repository does not exist/,
    'its registry has no such image. Check the name and the digest in command',
  ),
  inContainer(
    /Cannot connect to (?:the Docker daemon|Podman)/,
    'the container engine does not run. Start it, and try again',
  ),
  inContainer(
    /bind source path does not exist|statfs \//,
    'a folder of folders does not exist. Create it, or leave it out',
  ),
  inContainer(
    /connection refused|no such host|i\/o timeout|network is unreachable|server misbehaving/,
    'the image is not on this computer, and its registry could not be reached',
  ),
  {
    found: ({ sandbox, exit }) => sandbox === 'container' && exit?.code === KILLED,
    text: 'it was killed in its container: it may have needed more memory than its limit (memoryMb)',
  },
  {
    found: (_failure, text) => /^bwrap: /m.test(text),
    text: 'the sandbox of the operating system could not be made. User namespaces may be forbidden here (sysctl kernel.unprivileged_userns_clone, user.max_user_namespaces, kernel.apparmor_restrict_unprivileged_userns). It is not started without the sandbox',
  },
  {
    found: ({ command, args }) => RUNNERS.test(command) && args.every((word) => word.startsWith('-')),
    text: 'the command names no package to run. Add the package to args, such as ["-y", "package-name"] for npx or ["package-name"] for uvx',
  },
  {
    found: ({ command }, text) =>
      (!PYTHON_RUNNERS.test(command) && /\bE404\b|404 Not Found - GET|npm error 404/.test(text)) ||
      /No solution found when resolving|was not found in the package registry|No matching distribution found/.test(
        text,
      ),
    text: 'the package was not found. Check its name and version in args',
  },
  {
    found: (_failure, text) =>
      /could not determine executable to run|provides? no executables|An executable named .{1,200} is not provided/.test(
        text,
      ),
    text: 'the package has no program of this name. Check the documentation of the package for the right arguments',
  },
  {
    found: (_failure, text) => /EADDRINUSE|[Aa]ddress already in use/.test(text),
    text: 'a port that it needs is in use. End the other program, or give it another port in args or env',
  },
  {
    found: (_failure, text) => /ENOTFOUND|EAI_AGAIN|Temporary failure in name resolution|dns error/.test(text),
    text: 'it could not reach the network. Check the connection, or install the package before',
  },
  {
    found: (_failure, text) => /Cannot find module|ModuleNotFoundError|No module named/.test(text),
    text: 'a file or module that it needs is missing. Check the paths in args, and whether its dependencies are installed',
  },
  {
    found: (_failure, text) => /EACCES|[Pp]ermission denied/.test(text),
    text: 'it may not read or write something that it needs. Check the permissions of the paths in args and env',
  },
]

const how = ({ exit, afterMs, isReady }: Failure): string => {
  if (exit === undefined) return `it did not answer the handshake within ${milliseconds(afterMs)}`
  const ended = exit.signal === null ? `ended with code ${exit.code ?? 0}` : `was ended by ${exit.signal}`
  return isReady ? `it ${ended}` : `it ${ended} after ${milliseconds(afterMs)}, before the handshake`
}

export function causeOf(failure: Failure): string {
  const { output, exit, isReady } = failure
  const known = CAUSES.find(({ found }) => found(failure, output.join('\n')))
  const last = output.at(-1)
  const ending = last === undefined ? '' : `. Last output: ${last.slice(0, 300)}`
  if (known) return `${how(failure)}: ${known.text}${ending}`
  if (isReady) return how(failure) + ending
  if (exit === undefined)
    return `${how(failure)}. Check that it is an MCP server that speaks over standard input and output${ending}`
  if (exit.code === 0)
    return `${how(failure)}. A server stays until its input is closed: it may need other arguments${ending}`
  return how(failure) + ending
}
