// Section 16: secrets and the key service.
import { rules } from '../rule.ts'

export const secrets = rules(
  'ct.16',
  `
  local             1113  -         Local sealing is AES-256-GCM with a random 96-bit nonce in the local:v1 form.
  local-aad         1113  -         A sealed value opens only under its own record reference.
  local-raw         1113  -         A key of exactly 32 bytes of Base64 is used as it is.
  local-passphrase  1113  -         Any other key is stretched by scrypt with a salt per database.
  local-unset       1113  -         Without a key sealing is SECRET_BOX_NOT_CONFIGURED.
  local-unset-501   1113  -         An operation that would store a secret then answers 501 and stores nothing.
  desktop-key       1113  -         The desktop app supplies the key from the system's key store.
  kms-form          1114  -         KMS sealing stores the kms:v1 form with the key name.
  kms-encrypt       1116  -         Encryption posts Base64 plaintext to the transit path with X-KMS-Token.
  kms-decrypt       1117  -         Decryption posts the stored ciphertext and reads Base64 plaintext.
  kms-key-name      1119  -         The key name is gantry by default and percent-encoded, and a trailing slash of the address is ignored.
  kms-plain-request 1119  -         A request has its timeout, no redirect and no retry.
  kms-fails         1119  -         Timeout, non-2xx, bad JSON and a missing field fail the operation without a fallback.
  kms-502           1119  -         An admin operation on a failing key service answers 502 SECRETS_PROVIDER_ERROR.
  kms-call          1119  -         A call on a failing key service is the failure internal.
  kms-cache         1119  -         Opened values are remembered for at most 60 s.
  kms-token-hidden  1119  -         The token is in no log, error, metric or effective config.
  startup           1120  -         kms without address or token, or an unknown provider, fails at startup.
`,
)
