// The one address and port on this computer or its network that an admin allows for one backend.
import { z } from 'zod'
import { HttpUrl } from '../names.ts'
import { Iso } from '../page.ts'
import { routes } from '../route.ts'

export const LocalService = z.strictObject({
  address: z.union([z.ipv4(), z.ipv6()]).describe('as an answer of `find` spells it'),
  port: z.number().int().min(1).max(65_535),
})
export type LocalService = z.infer<typeof LocalService>

export const AllowedLocalService = LocalService.extend({ by: z.string(), at: Iso })

export const localServices = routes({
  find: {
    method: 'POST',
    path: '/admin-api/discovery/local-services',
    access: 'superadmin',
    summary: 'The local addresses of a URL, which could be allowed for one backend',
    body: z.strictObject({ url: HttpUrl }),
    reply: z.object({ services: z.array(LocalService) }),
    rateLimit: 'register',
    audit: { none: 'a name is resolved, and nothing is stored' },
    errors: ['INVALID_URL', 'SSRF_BLOCKED'],
  },
  allow: {
    method: 'PUT',
    path: '/admin-api/clients/:name/local-service',
    access: 'superadmin',
    summary: 'Allow a backend its pinned local address and port; nothing else opens',
    body: LocalService,
    reply: AllowedLocalService,
    audit: 'client.local_service.allow',
    errors: ['CLIENT_NOT_FOUND', 'NOT_APPLICABLE'],
  },
  revoke: {
    method: 'DELETE',
    path: '/admin-api/clients/:name/local-service',
    access: 'superadmin',
    summary: 'Refuse a backend its local address again, at once',
    audit: 'client.local_service.revoke',
    errors: ['CLIENT_NOT_FOUND', 'NOT_CONFIGURED'],
  },
})
