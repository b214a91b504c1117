// The subjects of live events.
export const EVENT_TOPICS = [
  'clients',
  'tools',
  'calls',
  'approvals',
  'monitors',
  'alerts',
  'audit',
  'config',
  'sessions',
  'pcg',
] as const
export type EventTopic = (typeof EVENT_TOPICS)[number]
