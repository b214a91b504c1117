// `gantry doctor`: this machine and the gateway, one line for each thing, and what to do where something is wrong.
import { readFileSync } from 'node:fs'
import { type Check, fail, ok, warn } from './check.ts'
import { checkAnswer, checkInside } from './check-gateway.ts'
import { checkDatabase, checkFolder, checkNode, checkPort, checkSeal, type Place, placeOf } from './check-machine.ts'
import { type Command, type Context, homeOf } from './command.ts'
import { EXIT, type ExitCode, Unreachable } from './exit.ts'
import { type LocalGateways, localGateways } from './find-gateway.ts'
import type { GatewayAddress } from './transport.ts'

function announcements({ running, passedOver }: LocalGateways): readonly Check[] {
  const check = 'announcement'
  const found = running.map(({ url, home, pid }) => ok(check, `the ${home} gateway of process ${pid} is at ${url}`))
  const passed = passedOver.map(({ file, why, ended }) =>
    warn(
      check,
      `${file}: ${why}`,
      ended ? 'Nothing: the next start clears it away.' : 'Remove it, unless you know whose it is.',
    ),
  )
  if (found.length + passed.length > 0) return [...found, ...passed]
  return [ok(check, 'no gateway of this user says that it runs here')]
}

async function checkMachine(place: Place): Promise<readonly Check[]> {
  const database = await checkDatabase(place.database)
  return [...checkFolder(place.dataFolder), ...(database ? [database] : [])]
}

/** Of the gateway that was named: what is its machine's is looked at where that is this one. */
async function checkFound(context: Context, target: GatewayAddress, local: LocalGateways): Promise<readonly Check[]> {
  const answer = await checkAnswer(target)
  const announced = local.running.find(({ url }) => new URL(url).origin === target.url.origin)
  const machine = announced ? await checkMachine(announced) : []
  const port = announced ? [ok('port', `${new URL(announced.url).port} is ours`)] : []
  if (answer.every(({ state }) => state !== 'fail'))
    return [...answer, ...port, ...machine, ...(await checkInside(context))]
  const { protocol, hostname, port: number } = target.url
  // By http only this computer is asked.
  return protocol === 'http:'
    ? [...answer, await checkPort({ host: bare(hostname), port: Number(number || 80) })]
    : answer
}

const bare = (host: string): string => host.replace(/^\[|\]$/g, '')

/** What would be in the way of a start. */
async function checkAbsent(context: Context, why: string): Promise<readonly Check[]> {
  const gateway = fail('gateway', why, 'Start it: gantry serve, or the application. Or name one with --url.')
  const place = placeOf(context.env, (file) => readFileSync(file, 'utf8'))
  if ('check' in place) return [gateway, place]
  return [gateway, await checkPort(place), ...(await checkMachine(place)), checkSeal(place)]
}

const MARKS = { ok: 'ok  ', warn: 'WARN', fail: 'FAIL' } as const
const line = ({ state, check, finding, todo }: Check): string =>
  `${MARKS[state]} ${check}: ${finding}${todo === null ? '' : `\n     ${todo}`}`

/** With several, the person has to choose. */
function absent(error: unknown): string {
  if (error instanceof Unreachable) return error.message
  throw error
}

async function doctor(context: Context): Promise<ExitCode> {
  const local = await localGateways(context.announcements)
  const found = await context.target().catch(absent)
  const checks = [
    checkNode(),
    await (await import('./check-sandbox.ts')).checkSandbox(homeOf(context.env)),
    ...announcements(local),
    ...(typeof found === 'string' ? await checkAbsent(context, found) : await checkFound(context, found, local)),
  ]
  context.tell(checks, checks.map(line).join('\n'))
  const failed = checks.filter(({ state }) => state === 'fail').map(({ check }) => check)
  if (failed.includes('gateway')) return EXIT.unreachable
  return failed.length === 0 ? EXIT.ok : EXIT.failed
}

export const DOCTOR: Command = {
  name: 'doctor',
  summary: 'Check this machine and the gateway, and print what to do; warnings alone are no failure',
  run: doctor,
}
