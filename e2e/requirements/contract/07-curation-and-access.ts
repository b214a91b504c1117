// Section 7.4 to 7.6: curation, install links, access.
import { rules } from '../rule.ts'

export const curationAndAccess = [
  ...rules(
    'ct.7.4',
    `
    bundles             627  -         Bundles are listed by name.
    bundle-create       628  -         A bundle is created whole or not at all, its missing members named.
    bundle-get          629  -         One bundle is read.
    bundle-patch        630  -         A bundle is changed, and members already missing may stay.
    bundle-delete       631  -         Deleting a bundle ends its sessions.
    bundle-delete-links 631  -         Deleting a bundle revokes its install links and their keys.
    bundle-clone        632  -         A bundle is cloned under another name.
    bundle-preview      633  -         A preview shows exactly what a key would list, its tokens, missing members and clashes.
    links               634  -         Install links are listed, and a created one shows token and URL this one time.
    links-empty         634  -         A bundle with nothing in it gets no link (EMPTY_BUNDLE).
    link-delete         635  -         Removing a link revokes its key.
    composites          636  -         Composites are listed by name.
    composite-create    637  -         A composite is created with checked schema, steps and targets.
    composite           638  -         A composite is read, changed and removed from its bundles.
    composite-test      639  -         A composite is tried, or its templates resolved without a call.
    tags                640  -         Tags are listed with their counts.
    tag-tools           641  -         The tools of a tag are listed.
    catalog             642  -         The catalog is listed, featured entries first.
    catalog-create      643  -         A custom entry is created.
    catalog-entry       644  -         A custom entry is changed and removed, a built-in one is 403 IMMUTABLE_ENTRY.
    catalog-install     645  -         An entry is installed through registration.
    tag                 646  -         A tag is trimmed, lower-cased and matches its pattern.
  `,
  ),
  ...rules(
    'ct.7.5',
    `
    token        649  -       A token is gil_ with 43 characters and stored as its hash.
    key          649  -       Creating a link mints one key scoped to the bundle, stored encrypted.
    not-found    649  -       Unknown, revoked, expired and orphaned links give the identical 404.
    body         651  -       A link shows the bundle and how to connect.
    clients      653  -       It holds a snippet for each known client.
    html         655  -       A browser gets a self-contained page with the same data.
    headers      655  -       The answer is not stored, sends no referrer and is not indexed.
    counted      655  -       Each view updates lastUsedAt and useCount.
    gateway-url  656  -       The public and effective URL are returned.
    snippets     656  -       Snippets for a client, bundle or system hold a placeholder for the key.
    client-ids   657  -       The known clients are the eight listed.
  `,
  ),
  ...rules(
    'ct.7.6',
    `
    keys             662  -       Keys are listed, newest first.
    key-create       663  -       A key is created and its value shown this one time; system roles need a superadmin.
    key              664  -       A key is read, changed and deleted.
    key-revoke       665  -       A key is revoked once.
    key-rotate       666  -       A key is rotated with a grace for the old value.
    consumers        667  -       Consumers are listed by name.
    consumer-create  668  -       A consumer has a quota and an end-user rate within their bounds.
    consumer         669  -       A consumer is changed, and removed from its keys.
    consumer-usage   670  -       Usage is counted for the UTC calendar month.
    policies         671  -       Policies are listed by name.
    policy-create    672  -       A policy has a rate and a timeout within their bounds.
    policy           673  -       A policy is changed and removed; applied values stay.
    policy-apply     674  -       A policy is applied to a bundle or to tools, keeping allowlists, or previewed.
    users            675  -       Users are listed by name to superadmins.
    user-create      676  -       A user is created with a lower-cased name, viewer by default.
    user-name        676  -       A user name outside its pattern is 400.
    user-password    676  -       A password under 12 or over 256 characters is 400.
    user-weak        676  -       A password equal to the user name is WEAK_PASSWORD.
    user-exists      676  -       A name that is taken is 409 USER_EXISTS.
    user-team        676  -       A team that does not exist is 404 TEAM_NOT_FOUND.
    user             677  -       A user is read, changed and deleted, or 404 USER_NOT_FOUND.
    user-alias       677  -       is_active is accepted for isActive.
    user-sessions    677  -       Changing or deleting a user revokes the sessions.
    last-admin       677  -       The last active admin cannot be demoted, deactivated or deleted.
    last-superadmin  677  -       The last active admin without a team cannot be lost while another admin has one.
    user-set-team    678  -       A user is given to a team.
    teams            679  -       Teams are listed, to team-scoped callers only their own.
    team-create      680  -       A team is created with a name in its pattern.
    team             681  -       A team is renamed, and removed only when nothing belongs to it.
  `,
  ),
]
