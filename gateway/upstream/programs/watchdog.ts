// Ends the programs of this gateway when it dies in any way: a shell whose input ends with the gateway, in a session of its own.
import { type ChildProcess, spawn } from 'node:child_process'
import { containerName, engineEnvironment, listArguments, removeArguments } from '../../sandbox/container.ts'
import type { HostEnvironment } from './environment.ts'

/** In the environment of every program, and of what it starts; the value names the gateway. */
export const MARKER = 'GANTRY_LOCAL_SERVER'

/**
 * Constant: groups come on its input, as "+ 123" and "- 123". At the end of the input each group has a second to end by
 * itself, since its own input ended too, and another after TERM. The last steps end what left its group: all in their
 * cgroup, where there is one, by the marker, and containers by their names. "= file" names the engine of those.
 */
const PROGRAM = `
trap '' HUP INT QUIT TERM PIPE
groups=' '
engine=
while read -r what group; do
  case "$what" in
    +) groups="$groups$group " ;;
    =) engine=$group ;;
    -) rest=' '; for g in $groups; do [ "$g" = "$group" ] || rest="$rest$g "; done; groups=$rest ;;
  esac
done
if [ "$groups" != ' ' ]; then
  sleep 1
  for g in $groups; do kill -s TERM -- "-$g"; done
  sleep 1
  for g in $groups; do kill -s KILL -- "-$g"; done
fi
if [ -n "$2" ] && [ -d "$2" ]; then
  echo 1 > "$2/cgroup.kill"
  for again in 1 2 3; do rmdir "$2"/*/ "$2" && break; sleep 1; done
fi
for again in 1 2; do
  for e in $(grep -l -s -F -e "$1" /proc/[0-9]*/environ); do
    p=\${e#/proc/}
    kill -s KILL "\${p%/environ}"
  done
done
if [ -n "$engine" ]; then
  for again in 1 2; do
    for name in $("$engine" ${listArguments('$3')
      .map((each) => `"${each}"`)
      .join(' ')}); do "$engine" ${removeArguments('"$name"').join(' ')}; done
    sleep 1
  done
fi
`

export type Watchdog = {
  /** Throws where it cannot run: then no program may. */
  ready(): void
  /** The engine of containers, from the first of them on. */
  engine(file: string): void
  guard(group: number): void
  release(group: number): void
  close(): void
}

type Containers = {
  readonly host?: HostEnvironment | undefined
  /** The marker in their names. */
  readonly containers?: string | undefined
}

/** `marker`: the beginning of the value of MARKER that all programs of this gateway have; `cgroup` contains theirs. */
export function createWatchdog(
  marker: string,
  cgroup = '',
  { host = {}, containers = marker }: Containers = {},
): Watchdog {
  let running: ChildProcess | undefined
  const groups = new Set<number>()
  let engine: string | undefined

  function start(): ChildProcess {
    const child = spawn(
      '/bin/sh',
      ['-c', PROGRAM, 'gantry-watchdog', `${MARKER}=${marker}`, cgroup, containerName(containers)],
      {
        detached: true,
        stdio: ['pipe', 'ignore', 'ignore'],
        cwd: '/',
        env: { ...engineEnvironment(host), PATH: '/usr/bin:/bin' },
        shell: false,
      },
    )
    child.once('error', () => undefined)
    if (child.pid === undefined)
      throw new Error('/bin/sh, which ends local servers when the gateway dies, does not start')
    child.unref()
    child.stdin?.on('error', () => undefined)
    // It has no reason to end before us; one that was killed is replaced.
    child.once('exit', () => {
      if (running === child) running = undefined
      const known = [...groups].map((group) => `+ ${group}\n`).join('')
      if (known !== '' || engine !== undefined) tell(known + (engine === undefined ? '' : `= ${engine}\n`))
    })
    return child
  }

  function tell(text: string): void {
    running ??= start()
    running.stdin?.write(text)
  }

  return {
    ready() {
      running ??= start()
    },
    engine(file) {
      if (engine !== file) tell(`= ${file}\n`)
      engine = file
    },
    guard(group) {
      groups.add(group)
      tell(`+ ${group}\n`)
    },
    release(group) {
      if (groups.delete(group)) tell(`- ${group}\n`)
    },
    close() {
      groups.clear()
      engine = undefined
      running?.stdin?.end()
    },
  }
}
