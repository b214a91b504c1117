// The level `os`: which sandbox this system has. Nothing is wrapped in one that has not proved itself in this process.
import { bubblewrap } from './bubblewrap.ts'
import { type OsSandbox, type OsSystem, type Program, REFUSED, StartRefused, type Wrapped } from './program.ts'
import { proofOf } from './proof.ts'
import { SANDBOX_EXEC, seatbelt } from './seatbelt.ts'

/** Throws a `StartRefused` that names what is missing. */
export async function osSystem(platform: NodeJS.Platform = process.platform): Promise<OsSystem> {
  switch (platform) {
    case 'linux':
      return bubblewrap()
    case 'darwin':
      return seatbelt(SANDBOX_EXEC)
    default:
      throw new StartRefused(
        `${REFUSED} on this system: it is built for Linux and macOS. "sandbox": "group" in its entry runs the server without one`,
      )
  }
}

type Kept = Pick<OsSandbox, 'home' | 'hidden'>

/** Throws a `StartRefused` with what was found, each time. The attempt is made once. */
export async function proveOs(kept: Kept, system?: OsSystem): Promise<OsSystem> {
  const found = system ?? (await osSystem())
  const fault = await proofOf(found, kept)
  if (fault !== undefined)
    throw new StartRefused(`${REFUSED}: ${fault}. It is not started without it. Restart the gateway after a change`)
  return found
}

/** Throws a `StartRefused`: nothing is started with less. */
export async function wrapOs(program: Program, sandbox: OsSandbox, system?: OsSystem): Promise<Wrapped> {
  return (await proveOs(sandbox, system)).wrap(program, sandbox)
}
