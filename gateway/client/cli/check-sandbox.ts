// Which sandbox this machine has for local servers, for `gantry doctor`: the proof that their first start asks for.
import { proveOs } from '../../sandbox/os.ts'
import { REFUSED, StartRefused } from '../../sandbox/program.ts'
import { type Check, ok, warn } from './check.ts'

const check = 'sandbox'

/** Whether or not a server needs it. */
export async function checkSandbox(home: string): Promise<Check> {
  try {
    const { name } = await proveOs({ home, hidden: [] })
    return ok(check, `local servers can have "sandbox": "os": ${name} was tried here and holds`)
  } catch (error) {
    if (!(error instanceof StartRefused)) throw error
    const found = error.message.replace(REFUSED, '"sandbox": "os" of local servers is not available')
    return warn(check, found, 'Or give them "sandbox": "container", or "group".')
  }
}
