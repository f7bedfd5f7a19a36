/* Certificates: what is not vouched for gets no request, whoever asks. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include "tests/faults/fixture.h"

/* A server of one connection after another, whose certificate the test makes. */
struct tls_server {
  SSL_CTX *context;
  int listener, stop[2];
  int port;
  pthread_t thread;
  pthread_mutex_t mutex;
  int requests; /* handshakes that were followed by a byte of a request */
};

static X509 *make_certificate(EVP_PKEY *key, const char *names, long from, long until)
{
  X509 *c = X509_new();
  X509_set_version(c, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(c), 7);
  X509_gmtime_adj(X509_getm_notBefore(c), from);
  X509_gmtime_adj(X509_getm_notAfter(c), until);
  X509_set_pubkey(c, key);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(c), "CN", MBSTRING_ASC, (const unsigned char *)"test", -1, -1, 0);
  X509_set_issuer_name(c, X509_get_subject_name(c));
  X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, NULL, NID_subject_alt_name, names);
  assert_non_null(extension);
  X509_add_ext(c, extension, -1);
  X509_EXTENSION_free(extension);
  assert_true(X509_sign(c, key, EVP_sha256()) > 0);
  return c;
}

static void serve_one(struct tls_server *s, int fd)
{
  SSL *ssl = SSL_new(s->context);
  SSL_set_fd(ssl, fd);
  char bytes[4096];
  static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}";
  if (SSL_accept(ssl) == 1 && SSL_read(ssl, bytes, sizeof bytes) > 0) {
    pthread_mutex_lock(&s->mutex);
    s->requests++;
    pthread_mutex_unlock(&s->mutex);
    SSL_write(ssl, answer, sizeof answer - 1);
    SSL_shutdown(ssl);
  }
  SSL_free(ssl);
  close(fd);
}

static void *serve(void *user)
{
  struct tls_server *s = user;
  for (;;) {
    struct pollfd polls[2] = {{.fd = s->stop[0], .events = POLLIN}, {.fd = s->listener, .events = POLLIN}};
    if (poll(polls, 2, -1) < 0 || polls[0].revents != 0)
      return NULL;
    int fd = accept(s->listener, NULL, NULL);
    if (fd >= 0)
      serve_one(s, fd);
  }
}

static void tls_begin(struct tls_server *s, const char *names, long from, long until, const char *bundle)
{
  *s = (struct tls_server){.context = SSL_CTX_new(TLS_server_method())};
  EVP_PKEY *key = EVP_EC_gen("P-256");
  X509 *certificate = make_certificate(key, names, from, until);
  assert_int_equal(SSL_CTX_use_certificate(s->context, certificate), 1);
  assert_int_equal(SSL_CTX_use_PrivateKey(s->context, key), 1);
  FILE *file = fopen(bundle, "w");
  assert_non_null(file);
  PEM_write_X509(file, certificate);
  fclose(file);
  X509_free(certificate);
  EVP_PKEY_free(key);
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t len = sizeof a;
  s->listener = socket(AF_INET, SOCK_STREAM, 0);
  assert_int_equal(bind(s->listener, (struct sockaddr *)&a, len), 0);
  assert_int_equal(listen(s->listener, 16), 0);
  assert_int_equal(getsockname(s->listener, (struct sockaddr *)&a, &len), 0);
  s->port = ntohs(a.sin_port);
  assert_int_equal(pipe(s->stop), 0);
  pthread_mutex_init(&s->mutex, NULL);
  assert_int_equal(pthread_create(&s->thread, NULL, serve, s), 0);
}

static int tls_end(struct tls_server *s)
{
  assert_int_equal(write(s->stop[1], "q", 1), 1);
  pthread_join(s->thread, NULL);
  close(s->stop[0]);
  close(s->stop[1]);
  close(s->listener);
  SSL_CTX_free(s->context);
  pthread_mutex_destroy(&s->mutex);
  return s->requests;
}

#define DAY 86400L

static const struct {
  const char *name, *names;
  long from, until;
  bool trusted; /* named as the CA bundle */
  bool good;
} cases[] = {
    {"vouched for", "IP:127.0.0.1", -DAY, DAY, true, true},
    {"vouched for by nobody", "IP:127.0.0.1", -DAY, DAY, false, false},
    {"of another host", "DNS:glue.eu-west-1.amazonaws.com", -DAY, DAY, true, false},
    {"run out", "IP:127.0.0.1", -2 * DAY, -DAY, true, false},
    {"not yet good", "IP:127.0.0.1", DAY, 2 * DAY, true, false},
};

static void test_certificates(void **state)
{
  (void)state;
  char bundle[] = "/tmp/gluetop-tls-XXXXXX";
  int fd = mkstemp(bundle);
  assert_true(fd >= 0);
  close(fd);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    for (int change = 0; change < 2; change++) {
      struct tls_server s;
      tls_begin(&s, cases[i].names, cases[i].from, cases[i].until, bundle);
      struct fixture *f = fixture_new(NULL, 0, 0);
      transport_free(f->t);
      struct transport_options o = {
          .ca_bundle = cases[i].trusted ? bundle : NULL, .connect_timeout_ms = FIXTURE_CONNECT_MS, .seed = 1};
      struct err e = transport_new(&o, &f->clock, &f->t);
      assert_false(err_is(&e));
      snprintf(f->url, sizeof f->url, "https://127.0.0.1:%d", s.port);
      struct transport_request r = fixture_request(f, change ? TRANSPORT_CHANGES : TRANSPORT_READS);
      struct outcome *out = fixture_run(f, &r);
      if ((out->kind == ERR_OK) != cases[i].good || (!cases[i].good && out->kind != ERR_TLS))
        fail_msg("%s: %s: %s", cases[i].name, err_kind_name(out->kind), out->message);
      if (!cases[i].good) {
        assert_false(out->left_us);
        assert_non_null(strstr(out->hint, "AWS_CA_BUNDLE"));
      }
      assert_int_equal(tls_end(&s), cases[i].good ? 1 : 0);
      fixture_free(f);
    }
  }
  unlink(bundle);
}

int main(void)
{
  alarm(120);
  signal(SIGPIPE, SIG_IGN); /* as main.c does */
  static const struct CMUnitTest tests[] = {cmocka_unit_test(test_certificates)};
  return cmocka_run_group_tests(tests, NULL, NULL) == 0 ? 0 : 1;
}
