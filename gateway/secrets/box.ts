// The secret box: encrypts a credential for storage, and decrypts it. Contract 16.
import { GatewayError } from '../contract/error.ts'
import type { Settings } from '../settings/table.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Binding } from './binding.ts'
import { type KmsSend, kmsProvider } from './kms.ts'
import { localProvider } from './local.ts'

type ProviderName = Settings['SECRETS_PROVIDER']

export type SecretBox = {
  readonly provider: ProviderName
  /** False without a key: nothing can be sealed or opened. */
  readonly configured: boolean
  /** `ref` names the record, such as `backend:7:upstream-auth`; a secret opens only for its record. */
  readonly seal: (plaintext: string, ref: string) => Promise<string>
  readonly open: (sealed: string, ref: string) => Promise<string>
  /** Whether it was sealed with the current key and bound to its record. */
  readonly isCurrent: (sealed: string) => boolean
}

/** One way to encrypt. `sealed` begins with the provider's name. */
export type Provider = Pick<SecretBox, 'configured' | 'seal' | 'open' | 'isCurrent'> & { readonly name: ProviderName }

export type SecretBoxNeeds = {
  readonly settings: Pick<
    Settings,
    | 'SECRETS_PROVIDER'
    | 'SECRET_ENCRYPTION_KEY'
    | 'KMS_ADDR'
    | 'KMS_TOKEN'
    | 'KMS_TRANSIT_KEY_NAME'
    | 'KMS_REQUEST_TIMEOUT_MS'
  >
  /** Random bytes of the database; they never change. */
  readonly salt: Uint8Array
  readonly send: KmsSend
  readonly binding: Pick<Binding, 'complete'>
  readonly metrics: Pick<Metrics, 'inc'>
  readonly monotonic?: () => number
}

function createProvider({
  settings,
  salt,
  send,
  binding,
  monotonic = () => performance.now(),
}: SecretBoxNeeds): Provider {
  if (settings.SECRETS_PROVIDER === 'local') return localProvider(settings.SECRET_ENCRYPTION_KEY, salt)
  const { KMS_ADDR: address, KMS_TOKEN: token, KMS_TRANSIT_KEY_NAME: keyName } = settings
  // The startup rules refuse this too; here it prevents requests to a half-configured service.
  if (address === null || token === null)
    throw new GatewayError('SECRET_BOX_NOT_CONFIGURED', 'SECRETS_PROVIDER=kms needs KMS_ADDR and KMS_TOKEN.')
  return kmsProvider({ address, token, keyName, timeoutMs: settings.KMS_REQUEST_TIMEOUT_MS, send, monotonic, binding })
}

/** Failures are GatewayErrors: SECRET_BOX_NOT_CONFIGURED without a key, SECRETS_PROVIDER_ERROR for everything else. */
export function createSecretBox(needs: SecretBoxNeeds): SecretBox {
  const provider = createProvider(needs)

  async function counted(op: 'encrypt' | 'decrypt', work: () => Promise<string>): Promise<string> {
    try {
      const result = await work()
      needs.metrics.inc('mcp_secrets_operations_total', { provider: provider.name, op, outcome: 'success' })
      return result
    } catch (error) {
      needs.metrics.inc('mcp_secrets_operations_total', { provider: provider.name, op, outcome: 'error' })
      throw error
    }
  }

  return {
    provider: provider.name,
    configured: provider.configured,
    isCurrent: provider.isCurrent,
    seal: (plaintext, ref) => counted('encrypt', () => provider.seal(plaintext, ref)),
    open: (sealed, ref) =>
      counted('decrypt', () => {
        if (!provider.configured || sealed.startsWith(`${provider.name}:`)) return provider.open(sealed, ref)
        const message = `The stored secret was not encrypted by the provider ${provider.name}. Set SECRETS_PROVIDER back, or enter the secret again.`
        throw new GatewayError('SECRETS_PROVIDER_ERROR', message)
      }),
  }
}
