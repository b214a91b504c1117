// The names the window may speak. Apart from their schemas, so that the preload stays a few lines.
export const CHANNEL_NAMES = ['admin:request', 'gateway:status', 'gateway:restart', 'shell:open-external'] as const
export type ChannelName = (typeof CHANNEL_NAMES)[number]

export const EVENT_NAMES = ['gateway:changed', 'admin:event'] as const
export type EventName = (typeof EVENT_NAMES)[number]
