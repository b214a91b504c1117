// The options of curl as a table: what each does to the request, or why it is left out or refused.

export type FlagEffect =
  | 'request'
  | 'header'
  | 'data'
  | 'data-raw'
  | 'data-urlencode'
  | 'json'
  | 'form'
  | 'form-string'
  | 'get'
  | 'head'
  | 'globoff'
  | 'user'
  | 'bearer'
  | 'cookie'
  | 'agent'
  | 'referer'
  | 'range'
  | 'url'
  | 'url-query'
  | 'scheme'
  /** Changes how curl runs, not what it sends. */
  | 'ignore'
  /** Would change a decision of the gateway; reported in a warning. */
  | 'warn'
  | 'refuse'

export type Flag = { readonly name: string; readonly takesValue: boolean; readonly effect: FlagEffect }

type Row = readonly [names: string, takesValue: boolean, effect: FlagEffect]

const ROWS: readonly Row[] = [
  ['request X', true, 'request'],
  ['header H', true, 'header'],
  ['data d', true, 'data'],
  ['data-ascii', true, 'data'],
  ['data-binary', true, 'data'],
  ['data-raw', true, 'data-raw'],
  ['data-urlencode', true, 'data-urlencode'],
  ['json', true, 'json'],
  ['form F', true, 'form'],
  ['form-string', true, 'form-string'],
  ['get G', false, 'get'],
  ['head I', false, 'head'],
  ['globoff g', false, 'globoff'],
  ['user u', true, 'user'],
  ['oauth2-bearer', true, 'bearer'],
  ['cookie b', true, 'cookie'],
  ['user-agent A', true, 'agent'],
  ['referer e', true, 'referer'],
  ['range r', true, 'range'],
  ['url', true, 'url'],
  ['url-query', true, 'url-query'],
  ['basic', false, 'ignore'],
  ['digest', false, 'scheme'],
  ['ntlm', false, 'scheme'],
  ['negotiate', false, 'scheme'],
  ['anyauth', false, 'scheme'],
  ['aws-sigv4', true, 'scheme'],
  ...flags(
    'ignore',
    false,
    'silent s,show-error S,verbose v,fail f,fail-with-body,fail-early,location L,include i,show-headers,progress-bar #,no-buffer N,http0.9,http1.0 0,http1.1,http2,http2-prior-knowledge,http3,http3-only,ipv4 4,ipv6 6,tlsv1 1,tlsv1.0,tlsv1.1,tlsv1.2,tlsv1.3,sslv2 2,sslv3 3,ssl,ssl-reqd,tcp-nodelay,tcp-fastopen,compressed,compressed-ssh,retry-connrefused,retry-all-errors,parallel Z,parallel-immediate,styled-output,progress-meter,no-progress-meter,path-as-is,disable q,tr-encoding,raw,remote-time R,create-dirs,post301,post302,post303,keepalive,sessionid,alpn,npn,buffer,false-start,ignore-content-length,disallow-username-in-url,xattr,no-clobber,clobber,trace-time,trace-ids,suppress-connect-headers,location-trusted,junk-session-cookies j,crlf,list-only l,append a,use-ascii B,cert-status,ca-native,dump-ca-embed,skip-existing,remove-on-error,ftp-pasv,metalink,mptcp,wdebug',
  ),
  ...flags(
    'ignore',
    true,
    'max-time m,connect-timeout,retry,retry-delay,retry-max-time,max-redirs,keepalive-time,keepalive-cnt,write-out w,stderr,limit-rate,rate,speed-limit Y,speed-time y,parallel-max,max-filesize,expect100-timeout,happy-eyeballs-timeout-ms,local-port,interface,dns-interface,dns-ipv4-addr,dns-ipv6-addr,dns-servers,ciphers,tls13-ciphers,curves,tls-max,create-file-mode,trace-config,time-cond z,proto,proto-default,proto-redir,delegation,service-name,engine,random-file,egd-file,ip-tos,vlan-priority,sasl-authzid',
  ),
  ...flags(
    'warn',
    false,
    'insecure k,proxy-insecure,doh-insecure,doh-cert-status,remote-name O,remote-name-all,remote-header-name J,netrc n,netrc-optional,proxytunnel p,proxy-basic,proxy-digest,proxy-ntlm,proxy-negotiate,proxy-anyauth,haproxy-protocol,ssl-allow-beast,ssl-no-revoke,ssl-auto-client-cert',
  ),
  ...flags(
    'warn',
    true,
    'proxy x,proxy-user U,preproxy,noproxy,socks4,socks4a,socks5,socks5-hostname,proxy1.0,proxy-header,proxy-cert,proxy-key,proxy-cacert,proxy-pass,cert E,cert-type,key,key-type,pass,cacert,capath,crlfile,pinnedpubkey,pubkey,cookie-jar c,output o,output-dir,dump-header D,trace,trace-ascii,resolve,connect-to,doh-url,hsts,alt-svc,etag-save,etag-compare,continue-at C,tlsuser,tlspassword,tlsauthtype,haproxy-clientip,ech,libcurl',
  ),
  ...flags('refuse', false, 'next :,manual M,help h,version V'),
  ...flags(
    'refuse',
    true,
    'upload-file T,config K,unix-socket,abstract-unix-socket,request-target,variable,quote Q,telnet-option t,ftp-port P,mail-from,mail-rcpt,netrc-file,form-escape,expand-url,expand-data,expand-header,expand-json,expand-user',
  ),
]

function flags(effect: FlagEffect, takesValue: boolean, names: string): readonly Row[] {
  return names.split(',').map((name): Row => [name, takesValue, effect])
}

const LONG = new Map<string, Flag>()
const SHORT = new Map<string, Flag>()
for (const [names, takesValue, effect] of ROWS) {
  const [name = '', short] = names.split(' ')
  const flag: Flag = { name, takesValue, effect }
  LONG.set(name, flag)
  if (short !== undefined) SHORT.set(short, flag)
}

/** A long option may be shortened while it stays unambiguous, and `--no-x` switches `--x` off. */
export function longFlag(name: string): Flag | undefined {
  const exact = LONG.get(name)
  if (exact !== undefined) return exact
  const negated = name.startsWith('no-') ? LONG.get(name.slice(3)) : undefined
  if (negated?.takesValue === false) return { name, takesValue: false, effect: 'ignore' }
  const matches = [...LONG.values()].filter((flag) => flag.name.startsWith(name))
  return matches.length === 1 ? matches[0] : undefined
}

export function shortFlag(letter: string): Flag | undefined {
  return SHORT.get(letter)
}
