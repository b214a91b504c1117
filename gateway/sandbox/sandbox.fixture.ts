// Whether this machine has the sandbox of the operating system, for tests of what it does; and doubles that have none.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'

const succeeds = (program: string, ...args: readonly string[]): boolean => spawnSync(program, args).status === 0

const LACKS: Partial<Record<NodeJS.Platform, () => string | undefined>> = {
  linux() {
    const [BWRAP, SOCAT] = ['bwrap', 'socat']
    if (!succeeds(BWRAP, '--version')) return 'bubblewrap is not installed'
    if (!succeeds(SOCAT, '-V')) return 'socat is not installed'
    return succeeds(BWRAP, '--unshare-all', '--ro-bind', '/', '/', 'true')
      ? undefined
      : 'user namespaces are forbidden here'
  },
  darwin: () =>
    succeeds('/usr/bin/sandbox-exec', '-p', '(version 1)(allow default)', '/usr/bin/true')
      ? undefined
      : 'sandbox-exec does not work here',
}

/** What it lacks; undefined where the sandbox works. */
export const lack = (LACKS[process.platform] ?? (() => 'needs macOS, or Linux with bubblewrap'))()

/** A program that stands for one that makes a sandbox: it writes a line each time, then does this. */
export function doubleOf(folder: string, name: string, body: string): { readonly file: string; readonly log: string } {
  const [file, log] = [path.join(folder, name), path.join(folder, `${name}.log`)]
  writeFileSync(file, `#!/bin/sh\necho run >> '${log}'\n${body}\n`, { mode: 0o755 })
  return { file, log }
}

/** As `sandbox-exec -p profile program…` and as `bwrap options… -- program…`: neither limits anything. */
export const DOES_NOTHING = {
  seatbelt: 'shift 2; exec "$@"',
  bubblewrap: 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"',
} as const
