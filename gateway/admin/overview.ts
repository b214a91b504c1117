// The overview, the security posture, and the live event stream.

import type { Sessions } from '../auth/sessions.ts'
import type { overview } from '../contract/admin/overview.ts'
import { GatewayError } from '../contract/error.ts'
import { EVENT_TOPICS, type EventTopic } from '../contract/event-topic.ts'
import type { Actor } from '../contract/role.ts'
import type { Feed } from '../http/sse.ts'
import { type Events, mayHear } from '../live/events.ts'
import type { Overviews } from '../operations/observation/overview.ts'
import type { Base } from '../records/base.ts'
import { worstSeverity } from '../settings/posture.ts'
import type { Handlers } from './mount.ts'
import { whenSessionEnds } from './session-end.ts'

type OverviewHandlersDeps = Pick<Base, 'clock'> & {
  readonly overviews: Overviews
  readonly events: Pick<Events, 'subscribe'>
  readonly sessions: Pick<Sessions, 'stands' | 'onEnd'>
}

/** The topics asked for, or all that the actor may hear. */
export function topicsOf(text: string | undefined, actor: Actor): ReadonlySet<EventTopic> {
  if (text === undefined) return new Set(EVENT_TOPICS.filter((topic) => mayHear(actor, topic)))
  const asked = text.split(',').map((name) => name.trim())
  const topics = asked.map((name) => {
    const topic = EVENT_TOPICS.find((known) => known === name)
    if (topic === undefined)
      throw new GatewayError('VALIDATION_ERROR', `Topics are ${EVENT_TOPICS.join(', ')}`, {
        fields: [{ path: 'topics', message: 'names an unknown topic' }],
      })
    if (!mayHear(actor, topic)) throw new GatewayError('FORBIDDEN', `The topic ${topic} needs the role operator`)
    return topic
  })
  return new Set(topics)
}

export function overviewHandlers({
  overviews,
  events,
  sessions,
  clock,
}: OverviewHandlersDeps): Pick<Handlers<typeof overview>, 'posture' | 'events'> {
  const at = (): string => new Date(clock.now()).toISOString()

  const feed =
    (actor: Actor, topics: ReadonlySet<EventTopic>): Feed =>
    (stream) => {
      const send = (event: string, data: object): boolean => stream.send({ event, data: JSON.stringify(data) })
      send('ready', { type: 'ready', at: at(), topics: [...topics] })
      const leave = [events.subscribe(actor, ({ topic, data }) => send(topic, data), topics)]
      const bye = (): void => {
        send('bye', { type: 'bye', at: at(), reason: 'session_ended' })
        stream.close()
      }
      leave.push(whenSessionEnds(sessions, actor, bye))
      stream.onClose(() => {
        for (const stop of leave) stop()
      })
    }

  return {
    async posture() {
      const findings = await overviews.posture()
      return { findings, worst: worstSeverity(findings) }
    },
    events: ({ query }, { actor }) => feed(actor, topicsOf(query.topics, actor)),
  }
}
