import com.resend.core.exception.ResendException;
import com.resend.core.net.IHttpClient;
import com.resend.core.net.impl.HttpClient;
import com.resend.services.batch.Batch;
import com.resend.services.emails.Emails;
import com.resend.services.emails.model.Attachment;
import com.resend.services.emails.model.CreateEmailOptions;
import com.resend.services.emails.model.Email;
import com.resend.services.emails.model.Tag;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;
import org.json.JSONObject;

/**
 * Calls Facteur with Resend's Java SDK and prints one line of JSON for each step (see sdks.test.ts). The SDK has no setting for where it
 * calls, so it gets an HTTP client that changes the address and nothing else.
 */
public class Referee {
  static final IHttpClient<?> HTTP = redirected(HttpUrl.get(System.getenv("RESEND_BASE_URL")));

  public static void main(String[] arguments) throws Exception {
    String key = System.getenv("RESEND_API_KEY");
    Emails emails = service(Emails.class, key);
    Batch batch = service(Batch.class, key);
    byte[] every = new byte[256];
    for (int n = 0; n < 256; n++) every[n] = (byte) n;

    step("send", () -> List.of(emails.send(mail("camille@example.com")
        .replyTo("answers@example.com")
        .headers(Map.of("X-Order", "1042"))
        .tags(Tag.builder().name("order").value("1042").build())
        .attachments(
            Attachment.builder().fileName("reçu.bin").content(Base64.getEncoder().encodeToString(every)).build(),
            Attachment.builder().fileName("logo.png").content(Base64.getEncoder().encodeToString("\u0089PNG".getBytes(StandardCharsets.ISO_8859_1))).contentId("logo").build())
        .build()).getId()));
    step("batch", () -> batch.send(List.of(mail("camille@example.com").build(), mail("camille@example.com").subject("Second").build()))
        .getData().stream().map(sent -> sent.getId()).toList());
    step("get", () -> {
      Email read = emails.get(emails.send(mail("camille@example.com").build()).getId());
      return List.of(read.getId(), read.getSubject(), read.getHtml(), read.getText());
    });
    step("bad address", () -> List.of(emails.send(mail("nobody").build()).getId()));
    step("other domain", () -> List.of(emails.send(mail("camille@example.com").from("hello@elsewhere.test").build()).getId()));
    step("suppressed", () -> List.of(emails.send(mail("gone@example.com").build()).getId()));
    step("bad batch", () -> List.of(batch.send(List.of(mail("camille@example.com").build(), mail("nobody").build())).toString()));
    Emails strange = service(Emails.class, System.getenv("OTHER_KEY"));
    step("wrong key", () -> List.of(strange.send(mail("camille@example.com").build()).getId()));
  }

  static CreateEmailOptions.Builder mail(String to) {
    return CreateEmailOptions.builder().from("Boutique <hello@shop.test>").to(to).subject("Commande n° 1042 ✓").html("<p>Bonjour</p>").text("Bonjour");
  }

  static void step(String name, Callable<List<String>> call) throws Exception {
    JSONObject line = new JSONObject().put("step", name);
    try {
      line.put("answer", call.call());
    } catch (ResendException error) {
      line.put("status", error.getStatusCode()).put("code", error.getErrorName()).put("message", error.getMessage());
    }
    System.out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
    System.out.flush();
  }

  static <T> T service(Class<T> type, String key) throws Exception {
    var constructor = type.getDeclaredConstructor(String.class, IHttpClient.class);
    constructor.setAccessible(true);
    return constructor.newInstance(key, HTTP);
  }

  static IHttpClient<?> redirected(HttpUrl base) {
    OkHttpClient client = new OkHttpClient.Builder().addInterceptor(chain -> {
      HttpUrl asked = chain.request().url();
      String path = base.encodedPath().replaceAll("/$", "") + asked.encodedPath();
      HttpUrl there = asked.newBuilder().scheme(base.scheme()).host(base.host()).port(base.port()).encodedPath(path).build();
      return chain.proceed(chain.request().newBuilder().url(there).build());
    }).build();
    try {
      HttpClient http = new HttpClient();
      var field = HttpClient.class.getDeclaredField("httpClient");
      field.setAccessible(true);
      field.set(http, client);
      return http;
    } catch (ReflectiveOperationException error) {
      throw new IllegalStateException(error);
    }
  }
}
