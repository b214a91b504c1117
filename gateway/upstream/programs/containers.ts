// Containers that gateways of this user left, and a first start at a terminal: an engine keeps what its client no longer waits for.
import { fileOf } from '../../instance/program-file.ts'
import { engineEnvironment, engineIn, listArguments, markerIn, removeArguments } from '../../sandbox/container.ts'
import { variableOf } from '../../windows/variables.ts'
import type { HostEnvironment } from './environment.ts'
import { outputOf } from './process.ts'

/** Resolves with their number. */
export async function endLeftContainers(
  host: HostEnvironment,
  isGone: (marker: string) => Promise<boolean>,
): Promise<number> {
  const file = await engineIn((command) => fileOf(command, host['PATH'] ?? '', '/', variableOf(host, 'PATHEXT')))
  if (file === undefined) return 0
  const run = (args: readonly string[]): Promise<string> =>
    outputOf({ file, args, env: engineEnvironment(host), cwd: '/' })
  let count = 0
  for (const name of (await run(listArguments())).split('\n').filter(Boolean)) {
    if (!(await isGone(markerIn(name)))) continue
    // One each: Podman removes none of a list that names one which is gone.
    await run(removeArguments(name))
    count += 1
  }
  return count
}
