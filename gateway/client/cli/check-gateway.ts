// What `gantry doctor` asks the gateway it found: whether it answers, accepts the key, and is sound.
import { ApiError } from '../../contract/client.ts'
import { connectionsOf } from './agents.ts'
import { type Check, fail, ok, reasonOf, warn } from './check.ts'
import type { Context } from './command.ts'
import { type GatewayAddress, open } from './transport.ts'

const SKEW_MS = 30_000

export async function checkAnswer({ url, key }: GatewayAddress): Promise<readonly Check[]> {
  const check = 'gateway'
  try {
    const { statusCode, headers } = (await open({ url, key }, { method: 'GET', path: '/readyz' })).resume()
    const text = `${url.origin} answers`
    const ready =
      statusCode === 200
        ? ok(check, `${text} and is ready`)
        : warn(check, `${text} and is not ready (${statusCode})`, `Ask ${url.origin}/readyz why, or read its log.`)
    return [ready, clock(String(headers.date))]
  } catch (error) {
    return [fail(check, reasonOf(error), 'Start it: gantry serve, or the application.')]
  }
}

function clock(date: string): Check {
  const apartMs = Math.abs(Date.parse(date) - Date.now())
  if (Number.isNaN(apartMs))
    return warn('clock', 'the gateway does not tell its time', 'A proxy in front of it should.')
  const text = `${Math.round(apartMs / 1000)} s apart`
  return apartMs <= SKEW_MS
    ? ok('clock', text)
    : warn('clock', text, 'Set both clocks by the network: keys expire by them.')
}

type Ask = (context: Context) => Promise<readonly Check[]>

const credential: Ask = async ({ api, version }) => {
  const { version: served, uptimeSeconds } = await api.overview.get()
  const text = `known; version ${served}, up ${Math.round(uptimeSeconds)} s`
  if (served === version) return [ok('credential', text)]
  return [warn('credential', `${text}, and this is ${version}`, 'Use the command line of the same version.')]
}

const posture: Ask = async ({ api }) => {
  const { findings } = await api.overview.posture()
  const unsealed = findings.find(({ id }) => id === 'secret_box_unset')
  const seal = unsealed
    ? warn('encryption key', unsealed.summary, unsealed.remediation)
    : ok('encryption key', 'stored credentials are sealed')
  const rest = findings.filter(
    ({ id, tolerated, severity }) => id !== 'secret_box_unset' && !tolerated && severity !== 'info',
  )
  if (rest.length === 0) return [seal, ok('posture', 'nothing weakens it')]
  const message = rest.map(({ severity, summary, remediation }) =>
    (severity === 'critical' ? fail : warn)('posture', summary, remediation),
  )
  return [seal, ...message]
}

const keys: Ask = async ({ api }) => {
  const { active, expiringSoon } = (await api.overview.get()).keys
  const text = `${active} active, ${expiringSoon} expiring soon`
  return [
    expiringSoon === 0 ? ok('keys', text) : warn('keys', text, 'Rotate them: gantry key list, gantry key rotate.'),
  ]
}

const agents: Ask = async (context) => {
  const found = await (await connectionsOf(context)).list()
  const message = found.flatMap(({ id, label, problem, connections }): readonly Check[] => {
    if (problem !== null) return [warn('agents', problem, `Correct the file; ${label} may not read it either.`)]
    return connections.flatMap(({ name, state, url }): readonly Check[] => {
      switch (state) {
        case 'old-address':
          return [warn('agents', `${label} still asks ${url}`, `gantry agent move ${id} ${name} --yes`)]
        case 'no-key':
          return [
            warn(
              'agents',
              `the key of ${name} in ${label} does not work`,
              `gantry agent disconnect ${id} ${name} --yes, then connect it again`,
            ),
          ]
        case 'connected':
          return [ok('agents', `${label} has ${name} at ${url}`)]
        case 'foreign':
          return [ok('agents', `${name} in ${label} leads to another gateway`)]
      }
    })
  })
  return message.length === 0 ? [ok('agents', 'none of this computer is connected')] : message
}

/** What the key may not read is reported as such, and the rest is read all the same. */
export async function checkInside(context: Context): Promise<readonly Check[]> {
  const message: Check[] = []
  for (const [check, ask] of Object.entries({ credential, posture, keys, agents }))
    try {
      message.push(...(await ask(context)))
    } catch (error) {
      const denied = error instanceof ApiError && (error.status === 401 || error.status === 403)
      const todo = denied ? 'Set GANTRY_ADMIN_KEY or --key-file to an admin key.' : 'Read the log of the gateway.'
      message.push((denied && check !== 'credential' ? warn : fail)(check, reasonOf(error), todo))
      if (check === 'credential') break
    }
  return message
}
