// How a client comes to be configured: install links, their page, and snippets for every endpoint.

import { connectHandlers, installLinkHandlers } from '../admin/connect.ts'
import type { MountTable } from '../admin/handlers.ts'
import { CONNECT } from '../contract/index.ts'
import { type InstallOptions, registerInstall } from '../http/install.ts'
import type { Http } from '../http/server.ts'
import { createConnect } from '../operations/curation/connect.ts'
import { createInstallLinks, type InstallLinkDeps, type InstallLinks } from '../operations/curation/install-links.ts'
import type { Calls } from './calls.ts'
import type { Foundation } from './foundation.ts'

export function mountConnecting(
  base: Foundation,
  http: Http,
  { registry, curated, managedKeys }: Calls,
  mcpKeys: InstallLinkDeps['mcpKeys'],
  show: InstallLinkDeps['show'],
  mount: MountTable,
): InstallLinks {
  const { PUBLIC_DEEP_LINKS: deepLinks, GATEWAY_PUBLIC_URL: publicUrl } = base.settings
  const installLinks = createInstallLinks({ ...base, curated, mcpKeys, live: managedKeys, show, deepLinks })
  const connect = createConnect({ registry, curated, publicUrl, deepLinks })
  const operations = { installLinks, connect, baseUrl: http.baseUrl }
  mount(CONNECT.installLinks, { ...installLinks, delete: installLinks.revoke }, installLinkHandlers(operations))
  mount(CONNECT.connect, {}, connectHandlers(operations))
  const view: InstallOptions['view'] = (token, request, counts) =>
    installLinks.view(token, {
      requestId: request.id,
      ip: request.context.ip,
      baseUrl: http.baseUrl(request).replace(/(?<!\/)\/+$/, ''),
      counts,
    })
  http.routes((app) => registerInstall(app, { view }))
  return installLinks
}
