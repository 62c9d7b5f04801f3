/** What a rule can be for, as the service lists it. */
export const PROTOCOLS: readonly string[] = (
  'any ah dccp egp esp gre hopopt icmp igmp ip ipip ipv6-encap ipv6-frag ipv6-icmp icmpv6 ipv6-nonxt ipv6-opts ' +
  'ipv6-route ospf pgm rsvp sctp tcp udp udplite vrrp'
).split(' ');

/** Those that know ports. */
export const PORT_PROTOCOLS: ReadonlySet<string> = new Set(['tcp', 'udp', 'sctp', 'dccp', 'udplite']);
