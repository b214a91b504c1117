// Registration, re-discovery and the discovery preview. Contract 4.
import { z } from 'zod'
import { DiscoveryPreview, RegisterResult, RegistrationPayload } from '../registration.ts'
import { routes } from '../route.ts'
import { KeepCredential } from './clients.ts'

export const register = routes({
  register: {
    method: 'POST',
    path: '/register',
    access: 'operator',
    summary: 'Register a backend, or discover it again',
    body: RegistrationPayload.extend({ keepCredential: KeepCredential }),
    reply: RegisterResult,
    bodyLimit: 'register',
    rateLimit: 'register',
    audit: ['client.register', 'client.upstream_auth.set'],
    errors: ['SSRF_BLOCKED', 'INVALID_URL', 'DISCOVERY_ERROR', 'NAME_COLLISION', 'SECRETS_PROVIDER_ERROR'],
  },
  schema: {
    method: 'GET',
    path: '/register/schema',
    access: 'viewer',
    summary: 'JSON Schema of the registration payload',
    reply: z.record(z.string(), z.unknown()),
  },
  teardown: {
    method: 'DELETE',
    path: '/clients/:name',
    access: 'operator',
    summary: 'Tear down the live state of a backend; its row stays',
    audit: 'client.teardown',
    errors: ['CLIENT_NOT_FOUND'],
  },
  rediscover: {
    method: 'POST',
    path: '/admin-api/clients/:name/rediscover',
    access: 'operator',
    summary: 'Read the source of a backend again',
    body: z.strictObject({ dryRun: z.boolean().default(false), keepCredential: KeepCredential }),
    reply: RegisterResult,
    rateLimit: 'register',
    audit: 'client.rediscover',
    errors: ['CLIENT_NOT_FOUND', 'DISCOVERY_ERROR', 'SSRF_BLOCKED', 'NOT_REDISCOVERABLE', 'SECRETS_PROVIDER_ERROR'],
  },
  preview: {
    method: 'POST',
    path: '/admin-api/discovery/preview',
    access: 'operator',
    summary: 'What a registration would find; nothing is stored',
    body: RegistrationPayload.partial({ name: true }),
    reply: DiscoveryPreview,
    bodyLimit: 'register',
    rateLimit: 'register',
    audit: { none: 'nothing is stored' },
    errors: ['SSRF_BLOCKED', 'INVALID_URL', 'DISCOVERY_ERROR', 'NAME_COLLISION', 'SECRETS_PROVIDER_ERROR'],
  },
})
