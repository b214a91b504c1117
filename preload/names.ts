// The names the window may speak. Apart from their schemas, so that the preload stays a few lines.
export const CHANNEL_NAMES = ['admin:request', 'gateway:status', 'gateway:restart', 'shell:open-external'] as const
export type ChannelName = (typeof CHANNEL_NAMES)[number]

/** The one line from main to the window; what it carries names its topic. */
export const EVENT_CHANNEL = 'gateway:event'
