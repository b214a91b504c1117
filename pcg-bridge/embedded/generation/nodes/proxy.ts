// A node that runs as another class: the class is a setting, and so is what it is set to.

import { proxied } from '../../../editor/pins.ts'
import { effective, isRecord, nodeType } from '../../../editor/settings.ts'
import type { Execute } from '../context.ts'

/** A proxy of what runs graphs or proxies again would have no end. */
const NOT_BY_PROXY = new Set(['PCGIndirectionSettings', 'PCGSubgraphSettings', 'PCGLoopSettings'])

export const proxy =
  (executorOf: (className: string) => Execute | undefined): Execute =>
  (context) => {
    const className = proxied(context.settings)
    const execute = className === undefined || NOT_BY_PROXY.has(className) ? undefined : executorOf(className)
    if (className === undefined || !execute) {
      context.fail(className === undefined ? 'No class is set: see Settings' : `${className} cannot be run by proxy`)
      return []
    }
    const given = context.settings['Settings']
    const stored = context.settings['ProxyInterfaceMode'] === 'BySettings' && isRecord(given) ? given : {}
    return execute({ ...context, settings: effective(nodeType(className), stored) })
  }
