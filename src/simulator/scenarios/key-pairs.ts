type Row = readonly [name: string, environmentName: string, type: 'ssh-rsa' | 'ssh-ed25519', daysAgo: number];

/** What people brought along, beside the key pair that each environment's team shares. */
export const PERSONAL_KEY_PAIRS: readonly Row[] = [
  ['ines-laptop', 'production-ca', 'ssh-ed25519', 171.2],
  ['ci-deploy', 'production-ca', 'ssh-rsa', 118.6],
  ['tomasz-workstation-that-replaces-the-one-from-2024', 'research-ca', 'ssh-ed25519', 62.9],
  ['ines-laptop', 'research-ca', 'ssh-ed25519', 60.1],
  ['佐藤の鍵', 'production-no', 'ssh-ed25519', 51.4],
  ['noe', 'dev sandbox', 'ssh-rsa', 8.3],
];
